// Reports errors of scripts to the server, so that the people who run it learn of them. No text of a participant is sent.

const LIMIT = 5;
let count = 0;

/** The address of a page without ids. */
const plainPath = () => location.pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "{id}").slice(0, 200);
/** The message without quoted texts, because a message can quote what a participant wrote. */
const plain = (text) => text.replace(/"[^"]*"?|`[^`]*`?|\B'[^']*'?/g, "{text}").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "{id}");

function reportFault(error, place = "") {
  count += 1;
  if (count > LIMIT) return;
  const text = `${error?.name ?? "Error"}: ${plain(String(error?.message ?? ""))} ${place}`.slice(0, 500);
  const version = new URL(import.meta.url).pathname.split("/").pop();
  fetch("/v1/beacon", {
    method: "POST", keepalive: true, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ kind: "script", page: plainPath(), version, text }),
  // Without a connection nothing can be reported.
  }).catch(() => {});
}
addEventListener("error", (event) => {
  if (event.error) reportFault(event.error, `(${event.filename.split("/").pop()}:${event.lineno})`);
});
addEventListener("unhandledrejection", (event) => {
  // A lost connection is no error of a script.
  if (event.reason instanceof Error && navigator.onLine) reportFault(event.reason);
});
