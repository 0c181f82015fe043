# Loads the dataset of garden.sql with its load.R and checks types, labels and values.
root <- commandArgs(trailingOnly = TRUE)[1]
source(file.path(root, "load/load.R"))
data <- saunter_load(root)
stopifnot(identical(names(data)[1], "panel"))
wide <- data$wide_mood
stopifnot(is.integer(wide$feel), is.logical(wide$why__home), is.numeric(wide$weight), is.logical(wide$calm))
stopifnot(inherits(wide$submitted_at, "POSIXct"), inherits(wide$day, "Date"), is.character(wide$at))
stopifnot(identical(attr(wide$feel, "label"), "How do you feel?"))
stopifnot(identical(attr(wide$feel, "labels")[c("bad", "so-so", "good")], c(bad = 1L, "so-so" = 2L, good = 3L)))
stopifnot(identical(as.character(saunter_factor(wide, "feel")), c("so-so", "good", "bad")))
stopifnot(is.ordered(saunter_factor(wide, "feel")))
stopifnot(wide$minutes[1] == 9007199254740991, is.na(wide$minutes[2]), wide$minutes[3] == 0)
stopifnot(identical(format(wide$submitted_at[2], "%Y-%m-%d %H:%M:%S"), "2026-03-29 21:00:00"))
reasons <- saunter_with_reasons(data, "wide_mood", "minutes")
stopifnot(identical(reasons$minutes_missing[2], "dont_know"))
text <- data$free_text$text[1]
stopifnot(identical(enc2utf8(text), "=1+1, \"quoted\"\nand a second line \u2013 \u00fc"))
stopifnot(identical(as.vector(data$walk_samples$hr_bpm), c(99.5, NA, 130)))
stopifnot(identical(attr(data$walk_samples$t_offset_ms, "unit"), "ms"), is.integer(data$walk_samples$t_offset_ms))
cat("all as expected\n")
