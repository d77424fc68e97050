"use strict";
const nodes = [...document.querySelectorAll("details")];
const tree = document.querySelectorAll(".node");
function openAll(opened) {
  for (const node of tree) node.open = opened;
}
function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let node = target; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
  }
  target.scrollIntoView();
  target.querySelector("summary")?.focus({preventScroll: true});
}
for (const [id, opened] of [["open", true], ["close", false]]) {
  document.getElementById(id)?.addEventListener("click", () => openAll(opened));
}
document.querySelector(".buttons")?.removeAttribute("hidden");
addEventListener("hashchange", showTarget);
showTarget();
// What is closed would be missing on paper.
let closed = [];
addEventListener("beforeprint", () => {
  closed = nodes.filter((node) => !node.open);
  for (const node of closed) node.open = true;
});
addEventListener("afterprint", () => {
  for (const node of closed) node.open = false;
});
