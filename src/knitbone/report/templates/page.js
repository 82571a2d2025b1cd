// Filter, copy buttons and links into what is folded. The page is whole without them.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (text) => { document.getElementById("said").textContent = text; };

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = document.createElement("textarea"); // where the clipboard may not be asked
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  }

  for (const command of all(".command")) {
    const text = command.querySelector("pre");
    if (command.classList.contains("cut")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const done = await copy(text.textContent);
      button.textContent = done ? "Copied" : "Not copied";
      say(button.textContent);
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    command.append(button);
  }

  for (const graph of all(".graph")) {
    graph.parentElement.addEventListener("toggle", () => { // on a phone: the steps, not the arcs
      const node = graph.querySelector(".node");
      if (node) graph.scrollLeft = node.getBBox().x - 40;
    });
  }

  const finder = document.querySelector(".finder");
  const find = document.getElementById("find");
  const items = all("[data-item]");
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      item.hidden = !words.every((word) => text(item).includes(word));
      if (!item.hidden) shown += 1;
    }
    for (const group of all("[data-group]")) {
      const left = all("[data-item]", group).some((item) => !item.hidden);
      group.hidden = words.length > 0 && !left;
      if (words.length > 0 && left) group.open = true;
    }
    document.getElementById("found").textContent = words.length ? `${shown} of ${items.length}` : "";
  }

  if (finder) {
    finder.hidden = false;
    find.addEventListener("input", () => {
      filter();
      const address = find.value ? "#find=" + encodeURIComponent(find.value) : location.pathname + location.search;
      try { history.replaceState(null, "", address); } catch { /* a page that has no address */ }
    });
    const unfold = document.getElementById("unfold");
    unfold.addEventListener("click", () => {
      const open = unfold.textContent === "Open all";
      for (const each of all("[data-group], [data-item]")) if (!each.hidden) each.open = open;
      unfold.textContent = open ? "Close all" : "Open all";
    });
  }

  function reveal() {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { return; }
    if (find && name.startsWith("find=")) {
      find.value = name.slice(5);
      filter();
      return;
    }
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let each = target; each; each = each.parentElement) {
      each.hidden = false;
      if (each.localName === "details") each.open = true;
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    if (event.target.closest("a")) setTimeout(reveal); // a second click changes no address
  });
  reveal();
})();
