/**
 * Makes the heads of tables into buttons that sort. The cells carry the text to sort by, in which the order of numbers
 * is that of their exact values. Without the script the tables are as they are.
 */
export const SORT_SCRIPT = `
for (const table of document.querySelectorAll('table[data-sort]')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = table.dataset.sort + ' ' + head.textContent;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') !== 'descending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const sign = down ? -1 : 1;
      const compare = (a, b) => (a.dataset.k === undefined ? a.textContent.localeCompare(b.textContent) : a.dataset.k < b.dataset.k ? -1 : a.dataset.k > b.dataset.k ? 1 : 0);
      const rows = [...table.tBodies[0].rows].sort((a, b) => sign * compare(a.cells[column], b.cells[column]));
      table.tBodies[0].append(...rows);
    });
  });
}
`.trim();
