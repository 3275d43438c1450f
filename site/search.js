// The search over all pages. search-index.js, which is loaded with the first letter, has a list for each
// section of a page and each export of a module: address, page, heading, text.
{
  const root = document.currentScript.dataset.root;
  const form = document.querySelector("form");
  const [input, results] = form.children;
  const element = (name, text, properties) => Object.assign(document.createElement(name), {textContent: text}, properties);
  let loading;

  const load = () => loading ??= new Promise((resolve, reject) => {
    document.head.append(element("script", "", {src: root + "search-index.js", onload: resolve, onerror: reject}));
  });

  // How well a section fits: 0 if a word is missing.
  function score([, page, heading, text], words) {
    let sum = 0;
    for (const word of words) {
      const at = heading.indexOf(word);
      if (at >= 0) sum += heading === word ? 40 : at === 0 ? 20 : 10;
      else if (page.includes(word)) sum += 5;
      else if (text.includes(word)) sum += 1;
      else return 0;
    }
    return sum;
  }

  // The text around the first word, cut between words.
  function excerpt(text, [word]) {
    const start = Math.max(0, text.toLowerCase().indexOf(word) - 50);
    const cut = text.slice(start, start + 130).replace(start ? /^\S*/ : "", start ? "…" : "");
    return start + 130 < text.length ? cut.replace(/\S*$/, "…") : cut;
  }

  async function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    await load();
    const found = searchIndex.map((row) => [score(row.map((s) => s.toLowerCase()), words), row])
      .filter(([s]) => s > 0).sort(([a], [b]) => b - a);
    results.replaceChildren(...found.slice(0, 30).map(([, [address, page, heading, text]]) => {
      const link = element("a", heading, {href: root + address});
      link.append(element("small", heading === page ? "" : page), element("span", excerpt(text, words)));
      return link;
    }));
    if (found.length !== Math.min(found.length, 30)) results.append(element("p", `and ${found.length - 30} more`));
    if (!found.length) results.append(element("p", "Nothing found"));
    results.hidden = !words.length;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => { event.preventDefault(); results.querySelector("a")?.click(); });
  input.addEventListener("input", search);
  addEventListener("click", (event) => { if (!form.contains(event.target) || event.target.closest("a")) results.hidden = true; });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") results.hidden = true;
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });

  // A link to an example selects its tab.
  const select = () => { const tab = document.getElementById(location.hash.slice(1)); if (tab?.name === "tab") tab.checked = true; };
  addEventListener("hashchange", select);
  select();
}
