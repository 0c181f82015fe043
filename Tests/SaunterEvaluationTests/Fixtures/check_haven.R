# Reads the wide file of a dataset with haven, from .sav and from .dta, and compares values, labels and reasons with the CSV.
root <- commandArgs(trailingOnly = TRUE)[1]
library(haven)
plain <- utils::read.csv(file.path(root, "data/wide_mood.csv"), colClasses = "character", na.strings = "")
mask <- utils::read.csv(file.path(root, "data/wide_mood_missing.csv"), colClasses = "character", na.strings = "")
codes <- utils::read.csv(file.path(root, "meta/missing_codes.csv"), colClasses = "character")
sav <- read_sav(file.path(root, "spss/wide_mood.sav"), user_na = TRUE)
dta <- read_dta(file.path(root, "stata/wide_mood.dta"))
stopifnot(identical(names(sav), names(plain)), identical(names(dta), names(plain)))
stopifnot(identical(attr(sav$feel, "label"), "How do you feel?"), identical(attr(dta$feel, "label"), "How do you feel?"))
stopifnot(identical(unname(attr(sav$feel, "labels")[c("bad", "so-so", "good")]), c(1, 2, 3)))
stopifnot(all(c("bad", "so-so", "good") %in% names(attr(dta$feel, "labels"))))
for (name in c("feel", "why__money", "why__work", "why__home", "calm", "minutes", "version_43cc")) {
  answered <- !is.na(plain[[name]])
  stopifnot(identical(as.numeric(sav[[name]])[answered], as.numeric(plain[[name]])[answered]))
  stopifnot(identical(as.numeric(dta[[name]])[answered], as.numeric(plain[[name]])[answered]))
  stopifnot(all(is.na(sav[[name]])[!answered]), all(is.na(dta[[name]])[!answered]))
  if (all(answered)) next
  tags <- paste0(".", na_tag(dta[[name]])[!answered])
  stopifnot(identical(tags, codes$stata[match(mask[[name]][!answered], codes$code)]))
}
# The minimum of minutes is 0, so SPSS files contain its reasons. weight has no minimum, so they do not.
stopifnot(identical(attr(sav$minutes, "na_range"), c(-999, -989)), is.null(attr(sav$weight, "na_range")))
stopifnot(identical(format(sav$submitted_at[2], "%Y-%m-%d %H:%M:%S", tz = "UTC"), "2026-03-29 21:00:00"))
stopifnot(identical(format(dta$submitted_at[2], "%Y-%m-%d %H:%M:%S", tz = "UTC"), "2026-03-29 21:00:00"))
stopifnot(identical(format(sav$day[1]), "2026-03-28"), identical(format(dta$day[1]), "2026-03-28"))
cat("all as expected\n")
