# Writes item-level data of R's packages and the statistics that psych computes from them into a folder:
# <scale>.csv (keyed answers, blank where missing) and figures.csv (scale, figure, item, value).
suppressMessages(library(psych))
folder <- commandArgs(trailingOnly = TRUE)[1]
quiet <- function(body) suppressWarnings(suppressMessages(body))

figures <- list()
note <- function(scale, figure, values, items = seq_along(values)) {
    figures[[length(figures) + 1]] <<-
        data.frame(scale, figure, item = items, value = sprintf("%.17g", as.numeric(values)))
}

impute <- function(data) {
    as.data.frame(lapply(data, function(x) ifelse(is.na(x), median(x, na.rm = TRUE), x)))
}

describe_scale <- function(name, data, low, high) {
    write.csv(data, file.path(folder, paste0(name, ".csv")), na = "", row.names = FALSE)
    handled <- list(listwise = na.omit(data), pairwise = data, median_imputed = impute(data))
    for (missing in names(handled)) {
        made <- quiet(alpha(handled[[missing]]))
        note(name, paste("alpha", missing), made$total$raw_alpha)
        note(name, paste("mean_r", missing), made$total$average_r)
        note(name, paste("lower", missing), made$feldt$lower.ci[[1]])
        note(name, paste("upper", missing), made$feldt$upper.ci[[1]])
        note(name, paste("r_drop", missing), made$item.stats$r.drop)
        note(name, paste("alpha_drop", missing), made$alpha.drop$raw_alpha)
    }
    scored <- quiet(scoreItems(rep(1, ncol(data)), data, missing = TRUE, impute = "median"))
    note(name, "alpha scoreItems", scored$alpha)
    note(name, "omega", quiet(omega(data, nfactors = 1, flip = FALSE, plot = FALSE))$omega.tot)
    spread <- cov(data, use = "pairwise")
    unique <- diag(spread) * quiet(fa(data, nfactors = 1, fm = "minres"))$uniquenesses
    note(name, "omega raw", 1 - sum(unique) / sum(spread))

    described <- describe(data)
    for (figure in c("n", "mean", "sd", "skew")) note(name, figure, described[[figure]])
    note(name, "missing", colSums(is.na(data)))
    note(name, "floor", colMeans(data == low, na.rm = TRUE))
    note(name, "ceiling", colMeans(data == high, na.rm = TRUE))
    total <- describe(rowSums(data))
    for (figure in c("n", "mean", "sd", "skew")) note(name, paste("total", figure), total[[figure]])
    note(name, "sem", total$sd * sqrt(1 - quiet(alpha(na.omit(data)))$total$raw_alpha))

    whole <- na.omit(data)
    note(name, "mahalanobis", mahalanobis(whole, colMeans(whole), cov(whole)))
    note(name, "within_sd", apply(data[rowSums(!is.na(data)) > 1, ], 1, sd, na.rm = TRUE))
    note(name, "longest_run", apply(whole, 1, function(row) max(rle(as.numeric(row))$lengths)))
    note(name, "retest", cor(data[[1]], data[[2]], use = "complete.obs"))
}

for (scale in names(bfi.keys)) {
    key <- bfi.keys[[scale]]
    data <- bfi[sub("^-", "", key)]
    reversed <- startsWith(key, "-")
    data[reversed] <- 7 - data[reversed]
    describe_scale(paste0("bfi_", scale), data, 1, 6)
}
describe_scale("attitude", attitude, 0, 100)
describe_scale("lsat6", as.data.frame(lsat6), 0, 1)

icc <- function(name, data) {
    write.csv(data, file.path(folder, paste0(name, ".csv")), na = "", row.names = FALSE)
    note(name, "icc", ICC(data, lmer = FALSE)$results$ICC[1:3])
}
icc("attitude_occasions", attitude[1:3])
icc("bfi_occasions", na.omit(bfi[11:15])[1:60, ])

# Random intercepts with different numbers of values per person.
set.seed(1)
null_model <- function(name, spread) {
    data <- data.frame(person = rep(1:40, rep(1:8, 5)))
    data$value <- round(5 + spread * rnorm(40)[data$person] + rnorm(nrow(data)), 2)
    write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
    made <- nlme::lme(value ~ 1, random = ~ 1 | person, data = data)
    note(name, "variances", c(nlme::getVarCov(made), made$sigma^2))
}
null_model("intercepts_large", 2)
null_model("intercepts_small", 0.5)

# Sheets of 30 people on 5 occasions with 4 items, a column per item. psych needs factors.
occasions <- function(name, spread) {
    data <- expand.grid(item = factor(1:4), time = factor(1:5), person = factor(1:30))
    effect <- function(size, ...) size * rnorm(nrow(data))[as.integer(interaction(...))]
    data$value <- with(data, round(3 + effect(1.5, person) + effect(.7, time) + effect(.5, item) +
        effect(spread, person, time) + effect(.6, person, item) + effect(.4, time, item) + rnorm(nrow(data)), 2))
    made <- multilevel.reliability(data, grp = "person", Time = "time", items = "item", values = "value",
        long = TRUE, lme = FALSE, alpha = FALSE)
    stopifnot(all(made$components$Variance[1:7] > 0, na.rm = TRUE))
    wide <- data.frame(person = rep(1:30, each = 5), matrix(data$value, ncol = 4, byrow = TRUE))
    write.csv(wide, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
    note(name, "multilevel", c(made$RkF, made$RkR, made$Rc))
}
set.seed(2)
occasions("occasions_large", .9)
occasions("occasions_small", .4)

# Probabilities of F. (R's own quantiles are rounder than this for many degrees of freedom.)
for (at in list(c(1, 10, 4.96), c(29, 174, .54), c(2435, 9740, 1.06), c(1e5, 4e6, .9912), c(.5, 3, 3.5e-8))) {
    note("F", paste(at, collapse = " "), pf(at[3], at[1], at[2]))
}
write.csv(do.call(rbind, figures), file.path(folder, "figures.csv"), row.names = FALSE)
