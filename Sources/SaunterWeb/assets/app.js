// Shared by all pages. Without script every page works.

/** Chooses the time zone of the device where the visitor has not chosen one. */
for (const select of document.querySelectorAll("select[data-own-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!select.value && [...select.options].some((option) => option.value === zone)) select.value = zone;
}

/** Moves the focus to the summary of faults, so that a screen reader reads it first. */
document.getElementById("errors")?.focus();
