// The editor of a file of a draft: selects the line that the address names. Without script, the page shows the line above the text.

const source = document.getElementById("text");
const wanted = Number(source?.dataset.line);

if (wanted > 0) {
  const lines = source.value.split("\n");
  const start = lines.slice(0, wanted - 1).reduce((sum, line) => sum + line.length + 1, 0);
  source.focus();
  source.setSelectionRange(start, start + (lines[wanted - 1] ?? "").length);
  source.scrollTop = Math.max(0, (wanted - 4) * parseFloat(getComputedStyle(source).lineHeight));
}
