"""What of a call tree is drawn as a line."""

from __future__ import annotations

from replays import at, failing, handoffs, interrupted, three_levels

from agency_cli.rendering.outline import outline_of


def shape(branch):
    return {f"{branch.name} {branch.status}": [shape(child) for child in branch.children]}


def outline(recording, second=None, **options):
    tree = recording.until(1e9 if second is None else second)
    return outline_of(tree, at(second or 0), **options)


def test_a_message_and_its_recipient_are_one_branch_and_model_calls_are_none():
    assert shape(outline(three_levels())) == {
        "ceo ok": [
            {"developer ok": [{"write_file ok": []}, {"assistant ok": []}]},
            {"assistant ok": [{"list_files ok": []}]},
        ]
    }


def test_a_recipient_shows_the_message_that_it_got_and_the_model_that_it_used():
    assistant = outline(three_levels()).children[1]
    assert assistant.about == "Schedule a review for Friday"
    assert assistant.model == "gpt-5-mini"


def test_a_branch_counts_what_is_below_it():
    root = outline(three_levels())
    assert [child.totals.turns for child in root.children] == [3, 2]
    assert root.totals.turns == 7


def test_running_branches_are_measured_until_now_and_show_what_is_being_written():
    root = outline(three_levels(), 2.0)
    assert root.running
    assert root.seconds == 2.0
    assert root.children[0].text.startswith("I looked")
    assert not root.text


def test_an_error_stands_where_it_happened_and_is_not_repeated_above():
    root = outline(failing())
    told = {branch.name: branch.error for branch in root.walk() if branch.error}
    assert set(told) == {"gpt-5.6", "send_message", "write_file", "llama3.3:70b"}
    assert root.status == "error"


def test_a_message_that_reached_nobody_is_a_branch_of_its_own():
    refused = outline(failing()).children[1]
    assert (refused.kind, refused.about) == ("message", "Paint the office")


def test_agents_that_take_over_stand_beside_what_was_before():
    root = outline(handoffs())
    assert shape(root) == {
        "triage ok": [{"billing ok": [{"find_invoice ok": []}]}, {"refunds ok": []}]
    }
    # Each counts its own part: what it passed on is counted there.
    assert [child.totals.turns for child in root.children] == [2, 1]
    assert round(root.children[0].seconds, 3) == 2.3


def test_who_handed_over_is_done_while_the_other_goes_on():
    root = outline(handoffs(), 4.0)
    assert [child.status for child in root.children] == ["ok", "running"]


def test_what_was_cancelled_says_so_without_an_error():
    root = outline(interrupted())
    assert root.status == "cancelled"
    assert not any(branch.error for branch in root.walk())


def test_verbose_shows_every_model_call():
    names = [branch.name for branch in outline(three_levels(), verbose=True).walk()]
    assert names.count("gpt-5-mini") == 5
    assert names.count("gpt-5.6") == 2


def test_a_run_that_has_no_node_yet_has_no_outline():
    assert outline(three_levels(), -1) is None
