import SaunterStatistics

extension InstrumentReport {
    /// One section of the page.
    var html: String {
        let from = personCount == nil ? "all sheets" : "the first sheet of each person"
        let people = personCount.map { " of " + HTML.count($0, "person", "people") } ?? ""
        return """
            <section><h2>\(HTML.escaped(title)) <small>\(HTML.escaped(code)) \(HTML.escaped(version))</small></h2>
            <p>\(HTML.count(sheetCount, "sheet", "sheets"))\(people). Reliability and item figures come from \(from).</p>
            \(scaleTable)
            \(personCount == nil ? "" : changeTable)
            \(scales.map(\.plots).joined(separator: "\n"))
            \(scales.map(\.itemTable).joined(separator: "\n"))
            \(patternTable)
            </section>
            """
    }

    private var scaleTable: String {
        HTML.table(
            caption: "Scales",
            header: [
                "Scale", "n", "Mean", "SD", "Skew", "Floor", "Ceiling", "α listwise", "α pairwise",
                "α median-imputed", "ω total", "Mean r", "SEM",
            ],
            rows: scales.map { scale in
                let figures = scale.figures
                return [HTML.heading(scale.title)]
                    + [HTML.cell(figures.first("n"), .count)]
                    + ["mean", "sd", "skew"].map { HTML.cell(figures.first($0)) }
                    + ["floor", "ceiling"].map { HTML.cell(figures.first($0), .share) }
                    + [.listwise, .pairwise, .median].map { HTML.cell(figures.first("alpha", $0)) }
                    + ["omega_total", "mean_inter_item_r", "sem"].map { HTML.cell(figures.first($0)) }
            })
    }

    private var changeTable: String {
        HTML.table(
            caption: "The same people again",
            header: [
                "Scale", "Test-retest r", "ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "Smallest reliable change",
                "Reliably higher", "Reliably lower",
            ],
            rows: scales.map { scale in
                [HTML.heading(scale.title)]
                    + [
                        "test_retest_r", "icc_1_1", "icc_a_1", "icc_c_1", "smallest_reliable_change",
                    ].map { HTML.cell(scale.figures.first($0)) }
                    + ["reliably_higher", "reliably_lower"].map { HTML.cell(scale.figures.first($0), .count) }
            })
    }

    private var patternTable: String {
        HTML.table(
            caption: "Sheets, by median; report_sheets.csv has each",
            header: ["", "Sheets", "Median"],
            rows: [
                ("seconds", "Seconds"), ("longest_run", "Longest run of equal answers"),
                ("within_sd", "SD within a sheet"), ("even_odd", "Even-odd consistency"),
                ("mahalanobis", "Mahalanobis D²"),
            ].map { name, label in
                let figure = patternFigures.first(name)
                return [
                    HTML.heading(label), "<td>\(figure?.count.map(String.init) ?? "–")</td>",
                    HTML.cell(figure),
                ]
            })
    }
}

extension ScaleReport {
    /// Its distribution and its course.
    fileprivate var plots: String {
        let caption = HTML.escaped(title)
        let distribution = histogram.map {
            "<figure>\($0.plot(title: title))<figcaption>\(caption): sheets by score</figcaption></figure>"
        }
        let course =
            weeks.isEmpty
            ? nil
            : "<figure>\(TrajectoryPlot.text(weeks, title: title))<figcaption>\(caption): mean of people by week, 95 % interval</figcaption></figure>"
        return "<div class=\"plots\">\(distribution ?? "")\(course ?? "")</div>"
    }

    fileprivate var itemTable: String {
        guard !items.isEmpty else { return "" }
        return HTML.table(
            caption: "Items of \(title)",
            header: [
                "Item", "n", "Missing", "Mean", "SD", "Skew", "Floor", "Ceiling", "Item-total r",
                "α if dropped",
            ],
            rows: items.map { item in
                [HTML.heading(item.title == item.id ? item.id : "\(item.id) \(item.title)")]
                    + ["n", "missing"].map { HTML.cell(item.figures.first($0), .count) }
                    + ["mean", "sd", "skew"].map { HTML.cell(item.figures.first($0)) }
                    + ["floor", "ceiling"].map { HTML.cell(item.figures.first($0), .share) }
                    + ["item_total_r", "alpha_if_dropped"].map { HTML.cell(item.figures.first($0)) }
            })
    }
}
