"""A chat, line by line: who gets which message, what is remembered, and what goes wrong."""

from __future__ import annotations

import pytest

from agency_cli.cli.chatting.commands import COMMANDS
from agency_cli.errors import CredentialsError, ManifestError, UsageError
from agency_runs import message
from fake_server import Fault
from talking import DESK, talk


@pytest.fixture
def desk(fake_server, monkeypatch):
    """Give a server at which triage hands over to bob where bob is asked for."""
    for name, value in fake_server.env.items():
        monkeypatch.setenv(name, value)
    when = fake_server.when
    when(instructions="triage", user="Bob").calls("transfer_to_bob")
    when(instructions="triage", user="bad").fails(Fault.status(401))
    when(instructions="triage").says("I am triage.")
    when(instructions="bob").says("Arr!")
    when(instructions="clerk", user="pirate").calls("transfer_to_bob")
    when(instructions="clerk").says("Stamped.")
    return fake_server


def asked(server):
    """Return who was asked, as the first words of their instructions tell."""
    return [request.instructions for request in server.requests]


def texts(request):
    return [message.text for message in request.messages if message.text]


def test_each_line_is_a_message_of_one_conversation(tmp_path, desk):
    done = talk(tmp_path, "Hello", "", "And again")
    assert (done.code, done.out) == (0, "I am triage.\nI am triage.\n")
    assert texts(desk.requests[-1]) == ["Hello", "I am triage.", "And again"]


def test_after_a_handoff_the_next_message_goes_to_the_new_agent(tmp_path, desk):
    done = talk(tmp_path, "I want Bob", "How are you?")
    assert done.out == "Arr!\nArr!\n"
    assert asked(desk) == ["You are triage.", "You are bob.", "You are bob."]


def test_the_thread_remembers_who_has_the_conversation(tmp_path, desk):
    talk(tmp_path, "I want Bob", thread="mine")
    done = talk(tmp_path, "Hello?", thread="mine")
    assert done.out == "Arr!\n"
    assert texts(desk.requests[-1])[0] == "I want Bob"


def test_an_agent_that_is_named_at_the_start_goes_before_the_one_of_the_thread(tmp_path, desk):
    talk(tmp_path, "I want Bob", thread="mine")
    assert talk(tmp_path, "Stamp it", thread="mine", agent="clerk").out == "Stamped.\n"


def test_one_message_to_a_named_agent_leaves_the_conversation_where_it_was(tmp_path, desk):
    done = talk(tmp_path, "@BOB, hello", "Who is there?")
    assert done.out == "Arr!\nI am triage.\n"
    assert texts(desk.requests[0]) == ["hello"]


def test_a_named_agent_that_hands_over_moves_the_conversation(tmp_path, desk):
    done = talk(tmp_path, "@clerk a pirate please", "Hello")
    assert done.out == "Arr!\nArr!\n"
    assert done.chat.active == "bob"


def test_the_conversation_can_be_given_to_an_agent(tmp_path, desk):
    done = talk(tmp_path, "/agent Clerk", "Stamp it", "And this", thread="mine")
    assert done.out == "clerk has the conversation\nStamped.\nStamped.\n"
    assert done.chat.order.threads.active_agent("mine") == "clerk"


def test_the_agents_are_listed_and_the_active_one_is_marked(tmp_path, desk):
    done = talk(tmp_path, "/agent bob", "/agents")
    assert done.out.splitlines()[1:] == ["  triage  Sorts.", "* bob     A pirate.", "  clerk"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/agnets", "there is no command /agnets (did you mean '/agents'?)"),
        ("/usr/bin is full", "to send it as it is, put a blank before it"),
        ("@bib hi", "no agent named 'bib' (did you mean 'bob'?)"),
        ("@ hi", "the agents are triage, bob, clerk"),
        ("@bob", "there is no message; write one: @bob MESSAGE"),
        ("/agent nobody", "no agent named 'nobody'"),
        ("/model nobody=gpt-5", "no agent named 'nobody'"),
        ("/model bob=", "names no model"),
        ("/retry", "there is no message to send again"),
    ],
)
def test_a_line_that_asks_for_what_there_is_not_is_refused_without_a_run(
    tmp_path, desk, line, reason
):
    done = talk(tmp_path, line)
    assert done.code == 2
    assert reason in done.err
    assert not desk.requests
    assert done.chat.order.threads.all() == []


def test_a_blank_before_it_makes_anything_a_message(tmp_path, desk):
    talk(tmp_path, " /usr/bin is full", " @bob is a handle")
    assert texts(desk.requests[-1])[::2] == ["/usr/bin is full", "@bob is a handle"]


def test_a_failed_message_is_told_in_one_line_and_the_chat_goes_on(tmp_path, desk):
    done = talk(tmp_path, "bad", "Hello")
    assert done.code == 6
    assert done.out == "I am triage.\n"
    (error,) = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert "401" in error


def test_the_exit_code_is_that_of_the_first_line_that_failed(tmp_path, desk):
    assert talk(tmp_path, "/nope", "bad", "Hello").code == 2


def test_a_retry_takes_the_last_exchange_back_and_asks_the_same_agent_again(tmp_path, desk):
    done = talk(tmp_path, "Hello", "I want Bob", "/retry")
    assert asked(desk)[1:] == ["You are triage.", "You are bob."] * 2
    assert texts(desk.requests[-2]) == ["Hello", "I am triage.", "I want Bob"]
    assert [item.item["content"] for item in done.said if not item.author] == [
        "Hello",
        "I want Bob",
    ]


def test_a_retry_after_a_failure_leaves_the_exchange_before_it(tmp_path, desk):
    done = talk(tmp_path, "Hello", "bad", "/retry")
    assert [item.item["content"] for item in done.said if not item.author] == ["Hello", "bad"]


def test_a_retry_takes_back_what_the_agents_asked_each_other_too(tmp_path, desk):
    when = desk.when
    when(instructions="boss", user="ask", turn=0).calls("send_message", **message("bob", "First?"))
    when(instructions="boss", user="again", turn=0).calls("send_message", **message("bob", "Two?"))
    when(instructions="boss").says("Done.")
    team = DESK.partition("agents:")[0] + (
        "agents: {boss: {instructions: You are the boss.}, bob: {instructions: You are bob.}}\n"
        "entry: boss\nflows: [boss > bob]\n"
    )
    done = talk(tmp_path, "ask", "again", "/retry", manifest=team)
    heard = [texts(request) for request in desk.requests if "bob" in request.instructions]
    assert heard == [["First?"], ["First?", "Arr!", "Two?"], ["First?", "Arr!", "Two?"]]
    history = done.chat.order.threads.history(done.chat.thread_id)
    said = [(item.conversation, item.item["content"]) for item in history if not item.author]
    assert [text for pair, text in said if pair] == ["First?", "Two?"]
    assert [text for pair, text in said if not pair] == ["ask", "again"]


def test_an_exchange_after_which_the_thread_went_on_is_not_taken_back(tmp_path, desk):
    first = talk(tmp_path, "Hello", thread="mine")
    run_id = first.said[0].run_id
    talk(tmp_path, "Elsewhere", thread="mine")
    assert not first.chat.order.threads.take_back_last("mine", run_id)
    said = [item.item["content"] for item in first.said if not item.author]
    assert said == ["Hello", "Elsewhere"]


@pytest.mark.parametrize(
    ("line", "again"),
    [("I want Bob", "You are triage."), ("@clerk Stamp it", "You are the clerk.")],
)
def test_a_retry_can_be_the_first_line_of_a_thread_that_is_gone_on_with(
    tmp_path, desk, line, again
):
    before = talk(tmp_path, line, thread="mine")
    seen = len(desk.requests)
    after = talk(tmp_path, "/retry", thread="mine")
    assert asked(desk)[seen] == again
    assert after.out == before.out
    assert after.chat.active == before.chat.active
    assert len(after.said) == len(before.said)


def test_a_new_thread_begins_with_the_entry_agent_and_the_old_one_stays(tmp_path, desk):
    done = talk(tmp_path, "I want Bob", "/new", "/thread", "Hello", "/thread")
    assert texts(desk.requests[-1]) == ["Hello"]
    assert asked(desk)[-1] == "You are triage."
    old, new = done.chat.order.threads.all()[::-1]
    assert (old.active_agent, new.id) == ("bob", done.chat.thread_id)
    assert f"a new thread begins with your next message; thread {old.id} stays stored" in done.out
    assert "there is no thread yet" in done.out
    assert f"agency chat {tmp_path / 'agency.yaml'} --thread {new.id}\n" in done.out


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_text_after_new_is_the_first_message_of_the_new_thread(tmp_path, desk, blank):
    done = talk(tmp_path, "Hello", f"/new{blank}And now?")
    assert texts(desk.requests[-1]) == ["And now?"]
    assert len(done.chat.order.threads.all()) == 2
    assert done.out.startswith("I am triage.\na new thread begins; thread ")


@pytest.mark.parametrize("name", COMMANDS)
def test_text_after_a_command_is_taken_or_refused_and_never_dropped(tmp_path, desk, name):
    done = talk(tmp_path, f"/{name} some text")
    sent = [texts(request) for request in desk.requests] == [["some text"]]
    refused = done.code == 2 and ("takes no text" in done.err or "'some text'" in done.err)
    used = name == "model" and "some text" in done.out
    assert [sent, refused, used].count(True) == 1


def test_another_model_is_used_from_the_next_message_on(tmp_path, desk):
    lines = ("Hello", "/model triage=big", "Hello", "/model gpt-5-nano", "Hello")
    done = talk(tmp_path, *lines)
    assert [request.model for request in desk.requests] == ["gpt-5-mini", "gpt-5", "gpt-5-nano"]
    assert "triage  gpt-5\nbob     gpt-5-mini\n" in done.out
    assert texts(desk.requests[-1]).count("Hello") == 3


def test_a_model_that_cannot_be_used_leaves_the_models_as_they_were(tmp_path, desk, monkeypatch):
    monkeypatch.setattr("agency_cli.models.clients._litellm_model", refuse_litellm)
    done = talk(tmp_path, "/model litellm/nothing", "Hello")
    assert (done.code, done.out) == (2, "I am triage.\n")
    assert desk.requests[-1].model == "gpt-5-mini"


def refuse_litellm(model):
    raise UsageError(f"the model {model} needs LiteLLM")


def test_the_costs_of_all_messages_add_up_to_what_the_server_counted(tmp_path, desk):
    done = talk(tmp_path, "I want Bob", "/new", "bad", "Hello", "/model big", "Hello", "/cost")
    counted = desk.counted
    assert sum(part.usage.total_tokens for part in done.chat.models.values()) == (
        counted.total.total
    )
    assert sum(part.usage.requests for part in done.chat.agents.values()) == counted.requests
    total = done.out.splitlines()[-1].split()
    assert total[:2] == ["total", str(counted.requests)]
    assert list(done.chat.models) == ["gpt-5-mini", "gpt-5"]
    assert list(done.chat.agents) == ["triage", "bob"]


def test_nothing_was_spent_before_the_first_message(tmp_path, desk):
    assert talk(tmp_path, "/cost").out == "nothing was spent yet\n"


def test_each_message_has_the_limits_for_itself(tmp_path, desk):
    done = talk(tmp_path, "Hello", "Hello", "I want Bob", "Hello", limits={"max_turns": 1})
    assert (done.code, done.out) == (3, "I am triage.\n" * 2 + "Arr!\n")
    assert "--max-turns" in done.err


def test_every_command_is_told_by_the_help(tmp_path, desk):
    told = talk(tmp_path, "/help").out
    commands = ("agents", "agent", "new", "thread", "cost", "model", "retry", "help", "quit")
    assert all(f"\n/{name}" in f"\n{told}" for name in commands)


def test_what_follows_a_quit_is_not_taken(tmp_path, desk):
    done = talk(tmp_path, "Hello", "/quit", "Hello")
    assert (done.code, done.out) == (0, "I am triage.\n")


def test_the_way_back_to_the_thread_is_told_at_the_end(tmp_path, desk):
    store = f"sqlite:///{tmp_path}/other.db"
    done = talk(tmp_path, "Hello", quiet=False, store=store)
    thread = done.chat.thread_id
    manifest = tmp_path / "agency.yaml"
    last = done.err.splitlines()[-1]
    assert last == f"  agency chat {manifest} --thread {thread} --store {store}"


def test_seconds_tokens_and_cost_of_each_message_stand_below_its_answer(tmp_path, desk):
    done = talk(tmp_path, "Hello", quiet=False)
    tokens = desk.counted.total.total
    (line,) = [line for line in done.err.splitlines() if f" · {tokens} tokens · $0.0" in line]
    assert line.partition("s ")[0].replace(".", "").isdigit()


def test_an_agency_that_cannot_be_built_ends_the_chat(tmp_path, desk):
    (tmp_path / "tools.py").write_text("1/0")
    broken = DESK.replace("You are bob.,", "You are bob., tools: [t],")
    with pytest.raises(ManifestError, match="ZeroDivisionError"):
        talk(tmp_path, "Hello", manifest=f'{broken}tools: {{t: {{python: "tools.py:f"}}}}\n')


def test_missing_credentials_are_told_before_anything_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    with pytest.raises(CredentialsError, match="OPENAI_API_KEY"):
        talk(tmp_path, "Hello")


def test_a_thread_of_another_agency_is_refused(tmp_path, desk):
    talk(tmp_path, "Hello", thread="mine")
    with pytest.raises(UsageError, match="belongs to desk"):
        talk(tmp_path, "Hello", thread="mine", manifest=DESK.replace("name: desk", "name: other"))
