// What is wrong with how a page looks, as sentences: evaluated in the page, nothing of it ships.
() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width || document.body.scrollWidth > width) {
    wrong.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} > ${width}`);
  }
  const scrolls = (node) => node.closest(".graph, .unseen, svg");
  const folded = (node) => node.nodeName !== "SUMMARY" && node.parentNode.matches("details:not([open])");
  const walker = document.createTreeWalker(
    document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) => folded(node) ? NodeFilter.FILTER_REJECT
      : node.nodeType === Node.TEXT_NODE ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP,
  );
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.textContent.trim();
    const parent = node.parentElement;
    if (!text || ["SCRIPT", "STYLE"].includes(parent.tagName) || scrolls(parent)) continue;
    if (!parent.checkVisibility({ contentVisibilityAuto: true })) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const name = `${parent.tagName.toLowerCase()}.${parent.className} "${text.slice(0, 30)}"`;
    if (box.left < -0.5 || box.right > width + 0.5) wrong.push(`outside the page: ${name}`);
    const lines = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size;
    if (lines > 2 && text.length / lines < 8) wrong.push(`${lines} lines of a few letters: ${name}`);
    const style = getComputedStyle(parent);
    if (parseFloat(style.fontSize) < 11) wrong.push(`letters of ${style.fontSize}: ${name}`);
  }
  for (const node of document.querySelectorAll("button, input, .tile, .item, .card")) {
    const box = node.getBoundingClientRect();
    if (box.width && (box.left < -0.5 || box.right > width + 0.5)) {
      wrong.push(`outside the page: ${node.tagName} ${node.className}`);
    }
  }
  return [...new Set(wrong)];
}
