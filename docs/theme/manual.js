// The search of the manual. The index is fetched when somebody first wants to search; nothing leaves the server.
"use strict";
(() => {
  const root = document.currentScript ? document.currentScript.dataset.root : "";
  const input = document.getElementById("search");
  const results = document.getElementById("results");
  const RESULTS_MAX = 20;
  const TEASER_CHARS = 160;
  let index = null;

  const load = (name) =>
    new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = root + name;
      script.onload = done;
      script.onerror = () => failed(new Error(name));
      document.head.append(script);
    });

  // The index is a script of mdBook's that fills `window.search`.
  const opened = () => {
    if (index === null) {
      window.search = window.search || {};
      index = load("elasticlunr.min.js")
        .then(() => load("searchindex.js"))
        .then(() => ({ ...window.search, index: window.elasticlunr.Index.load(window.search.index) }));
    }
    return index;
  };

  const row = (title, where, teaser, href, words) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const small = document.createElement("small");
    link.href = href;
    marked(link, title, words);
    marked(small, `${where ? where + ": " : ""}${teaser}`, words);
    link.append(small);
    item.append(link);
    return item;
  };

  // Text with the words that were looked for in bold.
  const marked = (parent, text, words) => {
    const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const parts = escaped.length ? text.split(new RegExp(`(${escaped.join("|")})`, "gi")) : [text];
    parts.forEach((part, at) => {
      if (at % 2 === 0) return parent.append(part);
      const bold = document.createElement("b");
      bold.textContent = part;
      return parent.append(bold);
    });
  };

  const teaser = (body, words) => {
    const lower = body.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const start = Math.max(0, (places.length ? Math.min(...places) : 0) - 40);
    return (start > 0 ? "... " : "") + body.slice(start, start + TEASER_CHARS);
  };

  const show = async () => {
    const text = input.value.trim();
    if (text === "") {
      results.hidden = true;
      return;
    }
    const words = text.toLowerCase().split(/\s+/);
    let rows = [];
    try {
      const book = await opened();
      if (input.value.trim() !== text) return;
      const options = { bool: "AND", expand: true, fields: { title: { boost: 3 }, body: { boost: 1 }, breadcrumbs: { boost: 2 } } };
      rows = book.index.search(text, options).slice(0, RESULTS_MAX).map(({ ref, doc }) => {
        const where = doc.breadcrumbs.split(" » ").filter((crumb) => crumb !== doc.title).join(", ");
        return row(doc.title, where, teaser(doc.body, words), root + book.doc_urls[ref], words);
      });
    } catch (error) {
      rows = [message(`The index cannot be loaded: ${error.message}`)];
    }
    results.replaceChildren(...(rows.length ? rows : [message("Nothing was found.")]));
    results.hidden = false;
  };

  const message = (text) => {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = text;
    return item;
  };

  const step = (direction) => {
    const links = [input, ...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, at + direction))].focus();
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", () => input.value && show());
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape") {
      results.hidden = true;
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !results.hidden && input.form.contains(event.target)) {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  });
  document.addEventListener("click", (event) => {
    if (!input.form.contains(event.target)) results.hidden = true;
  });

  // A search may be a part of an address: it can be linked to.
  const asked = new URLSearchParams(location.search).get("search");
  if (asked) {
    input.value = asked;
    show();
  }

  // On a small screen the contents would push the text away; on a large one the page that is open should be in sight.
  if (window.matchMedia("(max-width: 860px)").matches) document.querySelector(".contents details").open = false;
  // Only the contents scroll: the page itself stays at its top, or at the place that its address names.
  const contents = document.querySelector(".contents");
  const active = contents.querySelector(".active");
  if (active) contents.scrollTop = active.offsetTop - contents.clientHeight / 2;
})();
