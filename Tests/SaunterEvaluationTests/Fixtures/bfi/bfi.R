# Writes the data set bfi of psych as a CSV table for the pack in this folder, and the results of psych.
suppressMessages(library(psych))
folder <- commandArgs(trailingOnly = TRUE)[1]
quiet <- function(body) suppressWarnings(suppressMessages(body))
items <- bfi[1:25]
names(items) <- tolower(names(items))
write.csv(items, file.path(folder, "bfi.csv"), na = "", row.names = FALSE, quote = FALSE)

scores <- quiet(scoreItems(bfi.keys, bfi[1:25], impute = "none", min = 1, max = 6))$scores
write.csv(apply(scores, 2, function(x) ifelse(is.finite(x), sprintf("%.17g", x), "")),
    file.path(folder, "scores.csv"), row.names = FALSE, quote = FALSE)

figures <- list()
note <- function(scale, figure, missing, values, items = "") {
    figures[[length(figures) + 1]] <<- data.frame(
        scale, item = items, figure, missing, value = sprintf("%.17g", as.numeric(values)))
}
for (scale in names(bfi.keys)) {
    key <- bfi.keys[[scale]]
    data <- bfi[sub("^-", "", key)]
    reversed <- startsWith(key, "-")
    data[reversed] <- 7 - data[reversed]
    names(data) <- tolower(names(data))
    imputed <- as.data.frame(lapply(data, function(x) ifelse(is.na(x), median(x, na.rm = TRUE), x)))
    handled <- list(listwise = na.omit(data), pairwise = data, median_imputed = imputed)
    for (missing in names(handled)) {
        note(scale, "alpha", missing, quiet(alpha(handled[[missing]]))$total$raw_alpha)
    }
    items <- names(data)
    made <- quiet(alpha(data))
    note(scale, "item_total_r", "pairwise", made$item.stats$r.drop, items)
    note(scale, "alpha_if_dropped", "pairwise", made$alpha.drop$raw_alpha, items)
    note(scale, "omega_total", "pairwise", quiet(omega(data, nfactors = 1, flip = FALSE, plot = FALSE))$omega.tot)
    spread <- cov(data, use = "pairwise")
    unique <- diag(spread) * quiet(fa(data, nfactors = 1, fm = "minres"))$uniquenesses
    note(scale, "omega_total_raw", "pairwise", 1 - sum(unique) / sum(spread))
    note(scale, "floor", "", colMeans(data == 1, na.rm = TRUE), items)
    note(scale, "ceiling", "", colMeans(data == 6, na.rm = TRUE), items)
    note(scale, "missing", "", colSums(is.na(data)), items)
    note(scale, "skew", "", describe(data)$skew, items)
    score <- scores[is.finite(scores[, scale]), scale]
    note(scale, "mean", "", mean(score))
    note(scale, "sd", "", sd(score))
    note(scale, "floor", "", mean(score == 1))
    note(scale, "ceiling", "", mean(score == 6))
}
write.csv(do.call(rbind, figures), file.path(folder, "figures.csv"), row.names = FALSE, quote = FALSE)
