# Loads this dataset into base R with the types in its codebook. No type is guessed, and no package is required.
#
#   source("load/load.R")
#   data <- saunter_load(".")                       # folder with manifest.json -> list of data frames
#   data$panel                                      # one row per planned occasion, with scores and answers
#   saunter_factor(data$wide_pss_10, "q1")          # ordered factor with labels
#   saunter_with_reasons(data, "wide_pss_10", "q1") # the column, with the reason of each blank
#
# Every column carries its label, unit and value labels as attributes ("label", "unit", "labels"), as haven and codebook read them.

saunter_csv <- function(path) {
  utils::read.csv(path, colClasses = "character", na.strings = "", encoding = "UTF-8",
    check.names = FALSE, strip.white = FALSE, comment.char = "", quote = "\"")
}

saunter_typed <- function(values, type) {
  switch(type,
    integer = {
      numbers <- as.numeric(values)
      if (all(is.na(numbers) | abs(numbers) <= .Machine$integer.max)) as.integer(numbers) else numbers
    },
    number = as.numeric(values),
    boolean = values == "1",
    date = as.Date(values, format = "%Y-%m-%d"),
    instant = as.POSIXct(values, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC"),
    # A local time without a time zone. With UTC, R does not shift it.
    local = as.POSIXct(values, format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC"),
    values)
}

saunter_load <- function(root = ".", lang = "{{language}}") {
  codebook <- saunter_csv(file.path(root, "meta", "codebook.csv"))
  labels <- saunter_csv(file.path(root, "meta", "value_labels.csv"))
  # The labels of Saunter's own codes are in English only.
  labels <- labels[labels$lang == lang | (labels$lang == "en" & !labels$set %in% labels$set[labels$lang == lang]), ]
  # If the label of a code changed, use the newest label.
  labels <- labels[!duplicated(labels[c("set", "code")], fromLast = TRUE), ]
  tables <- list()
  # Base R cannot read Parquet: use arrow::read_parquet, nanoparquet::read_parquet or duckdb. Samples of walks are also in one .csv.gz file
  # per month. These files are joined into one table here.
  files <- grep("[.]csv([.]gz)?$", unique(codebook$file), value = TRUE)
  names <- sub("[.]csv$", "", sub("_[0-9]+[.]csv[.]gz$", "", basename(files)))
  for (name in unique(names)) {
    parts <- files[names == name]
    columns <- codebook[codebook$file == parts[1], ]
    frame <- do.call(rbind, lapply(file.path(root, parts), saunter_csv))
    stopifnot(identical(names(frame), columns$column))
    for (index in seq_len(nrow(columns))) {
      values <- saunter_typed(frame[[index]], columns$type[index])
      attr(values, "label") <- columns$label[index]
      if (!is.na(columns$unit[index])) attr(values, "unit") <- columns$unit[index]
      known <- labels[labels$set %in% columns$value_set[index], ]
      if (nrow(known) > 0) {
        codes <- if (columns$type[index] == "integer") as.integer(known$code) else known$code
        attr(values, "labels") <- stats::setNames(codes, known$label)
      }
      frame[[index]] <- values
    }
    tables[[name]] <- frame
  }
  tables
}

# The column as a factor of labels, ordered if the codes are numbers.
saunter_factor <- function(frame, column) {
  values <- frame[[column]]
  labels <- attr(values, "labels")
  if (is.null(labels)) stop(column, " has no value labels")
  codes <- as.vector(values)
  # A text code without a label, such as that of withdrawn content, is its own label.
  other <- if (is.character(codes)) sort(setdiff(codes, c(labels, NA)), method = "radix")
  factor(codes, levels = c(unname(labels), other), labels = make.unique(c(names(labels), other)), ordered = is.numeric(values))
}

# A data frame with the values and the reasons of a wide column.
saunter_with_reasons <- function(tables, table, column) {
  key <- c("enrolment_id", "sheet_id")
  reasons <- tables[[paste0(table, "_missing")]][c(key, column)]
  names(reasons)[3] <- paste0(column, "_missing")
  merge(tables[[table]][c(key, column)], reasons, by = key, all.x = TRUE)
}
