// Sorts tables in reports and on the web page. In reports, also splits a long table into pages.
// It is a classic script:
//   Ridgewatt.table.compare(a, b)   compares two values; numbers come before texts
//   const view = Ridgewatt.table.view(table);   the view of a table in the document
//   view.sortBy(th); view.keep("words"); view.select(row);   row: its index before sorting
"use strict";
window.Ridgewatt = window.Ridgewatt || {};
window.Ridgewatt.table = (function () {
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return String(a).localeCompare(String(b));
  }

  // The rows of a table whose rows are all in the document.
  function rowsOfBody(table) {
    const elements = Array.from(table.tBodies[0].rows);
    const cell = (row, column) => elements[row].cells[column];
    return {
      count: elements.length, page: elements.length,
      element: (row) => elements[row],
      value(row, column) {
        const { dataset, textContent } = cell(row, column);
        return "v" in dataset ? Number(dataset.v) : textContent === "-" ? undefined : textContent;
      },
    };
  }

  // The rows of a table from its data block (report/page/table_html.h). Elements are created only
  // for the visible rows.
  function rowsOfBlock(table, block) {
    const linked = "table" in table.dataset;
    const textOf = ({ texts, places }, row) => (places[row] < 0 ? "-" : texts[places[row]]);
    return {
      count: block.rows, page: block.page,
      element(row) {
        const element = document.createElement("tr");
        if (linked) element.dataset.row = row;
        block.columns.forEach((column) => {
          const cell = element.insertCell();
          cell.textContent = textOf(column, row);
          if (column.numeric) cell.className = "n";
        });
        return element;
      },
      value: (row, column) => { const place = block.columns[column].places[row]; return place < 0 ? undefined : place; },
      // Tests whether a cell of a row contains the words. Each distinct text is searched only once.
      having(words) {
        const hits = block.columns.map(({ texts }) => texts.map((text) => text.toLowerCase().includes(words)));
        return (row) => block.columns.some(({ places }, c) => places[row] >= 0 && hits[c][places[row]]);
      },
    };
  }

  class View {
    constructor(table) {
      this.table = table;
      const holder = table.parentNode.parentNode.querySelector("script.rows");
      this.source = holder ? rowsOfBlock(table, JSON.parse(holder.textContent)) : rowsOfBody(table);
      this.order = Array.from({ length: this.source.count }, (_, row) => row);
      this.shown = this.order;
      this.first = 0;
      this.page = this.source.page;
      this.selected = -1;
      this.words = "";
      if (holder) this.addControls(table.parentNode);
    }

    // Rows without a value come last in both directions.
    sortBy(heading) {
      const column = heading.cellIndex;
      const descending = heading.getAttribute("aria-sort") === "ascending";
      heading.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const values = Array.from({ length: this.source.count }, (_, row) => this.source.value(row, column));
      const sign = descending ? -1 : 1;
      this.order.sort((a, b) => {
        const [x, y] = [values[a], values[b]];
        return x === undefined || y === undefined ? (x === undefined) - (y === undefined) : sign * compare(x, y);
      });
      this.keep(this.words);
    }

    keep(words) {
      this.words = words.trim().toLowerCase();
      this.shown = this.words ? this.order.filter(this.source.having(this.words)) : this.order;
      this.show(0);
    }

    show(first) {
      this.first = Math.max(0, Math.min(first, this.startOf(this.shown.length - 1)));
      const rows = document.createDocumentFragment();  // a call has a limited number of arguments
      this.shown.slice(this.first, this.first + this.page).forEach((row) => rows.append(this.marked(row)));
      this.table.tBodies[0].replaceChildren(rows);
      if (this.controls) this.tell();
    }

    // The start of the page that contains `place`.
    startOf(place) {
      return this.page === Infinity ? 0 : Math.floor(place / this.page) * this.page;
    }

    // Shows all rows, for printing or the browser's search, or one page again.
    showAll(all) {
      this.page = all ? Infinity : this.source.page;
      this.show(all ? 0 : this.startOf(this.first));
    }

    marked(row) {
      const element = this.source.element(row);
      element.classList.toggle("selected", row === this.selected);
      return element;
    }

    // Scrolls to the row. A row that the filter hides is marked when it is shown again.
    select(row) {
      const old = this.table.querySelector("tr.selected");
      if (old) old.classList.remove("selected");
      this.selected = row;
      const place = this.shown.indexOf(row);
      if (place < 0) return;
      if (place < this.first || place >= this.first + this.page) this.show(this.startOf(place));
      const element = this.table.tBodies[0].rows[place - this.first];
      element.classList.add("selected");
      element.scrollIntoView({ block: "nearest" });
    }

    addControls(scroll) {
      const bar = document.createElement("div");
      bar.className = "pages";
      const add = (tag, properties) => bar.appendChild(Object.assign(document.createElement(tag), properties));
      const field = add("input", { type: "search", placeholder: "Rows with ...", ariaLabel: "Rows with these words" });
      field.addEventListener("input", () => this.keep(field.value));
      const to = (text, place) => {
        const button = add("button", { type: "button", textContent: text, onclick: () => { this.show(place()); scroll.scrollTop = 0; } });
        button.setAttribute("aria-label", `${text} rows`);
        return button;
      };
      const back = [to("First", () => 0), to("Previous", () => this.first - this.page)];
      const count = add("span", {});
      count.setAttribute("role", "status");
      const on = [to("Next", () => this.first + this.page), to("Last", () => this.shown.length)];
      const all = add("button", { type: "button", textContent: "All", onclick: () => this.showAll(this.page !== Infinity) });
      all.setAttribute("aria-label", "All rows at once");
      const print = add("span", { className: "print", textContent: "; 'All' on the screen prints every row" });
      this.controls = { back, count, on, all, print };
      const cut = scroll.parentNode.querySelector("p.cut");
      if (cut) cut.remove();
      scroll.parentNode.insertBefore(bar, scroll);
      this.tell();
    }

    tell() {
      const text = (number) => number.toLocaleString("en-US");
      const { count } = this.source;
      const last = Math.min(this.first + this.page, this.shown.length);
      const of = this.shown.length < count ? ` (of ${text(count)})` : "";
      this.controls.count.textContent = this.shown.length ? `Rows ${text(this.first + 1)} to ${text(last)} of ${text(this.shown.length)}${of}` : `No row${of}`;
      this.controls.back.forEach((button) => { button.disabled = this.first === 0; });
      this.controls.on.forEach((button) => { button.disabled = last === this.shown.length; });
      this.controls.all.setAttribute("aria-pressed", String(this.page === Infinity));
      this.controls.print.hidden = last - this.first === this.shown.length;
    }
  }

  const views = new Map();
  const view = (table) => {
    if (!views.has(table)) views.set(table, new View(table));
    return views.get(table);
  };
  return { compare, view };
})();
