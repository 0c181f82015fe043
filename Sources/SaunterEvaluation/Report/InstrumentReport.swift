import SaunterCore
import SaunterFigures
import SaunterStatistics

/// The report of one version of an instrument.
package struct InstrumentReport: Sendable {
    /// The code of the instrument.
    package let code: String
    /// The version of the instrument.
    package let version: String
    let title: String
    /// The number of sheets.
    package let sheetCount: Int
    /// Nil if the sheets have no participant.
    package let participantCount: Int?
    /// The scales that are not helpers, in the order of the scoring key.
    package let scales: [ScaleReport]
    /// The indicators of careless responding, one per sheet.
    package let patterns: [SheetPattern]
    /// The medians of `patterns`.
    package let patternFigures: [ReportFigure]

    /// - Parameter arms: the names of the arms of the report.
    /// - Throws: `CancellationError`. Many sheets need minutes, and a server that stops does not wait for them.
    init(_ keyed: KeyedItems, _ sheets: [ReportSheet], arms: [String]) throws {
        let participants = sheets.byParticipant
        // Sums of fractions depend on the order of addition. Statistics must not depend on the order of the rows.
        let ordered = participants.map { Array($0.joined()) } ?? sheets
        code = keyed.questionnaire.code
        version = keyed.questionnaire.version
        title = keyed.questionnaire.text(in: "en").title
        sheetCount = sheets.count
        participantCount = participants?.count
        scales = try keyed.scales.indices.filter { !keyed.scales[$0].isHelper }.map {
            try Task.checkCancellation()
            return ScaleReport(keyed, scale: $0, sheets: ordered, participants: participants, arms: arms)
        }
        try Task.checkCancellation()
        patterns = SheetPattern.all(keyed, sheets, reference: ordered)
        patternFigures = SheetPattern.figures(patterns)
    }

    var json: JSON {
        [
            "questionnaire": .string(code), "version": .string(version), "title": .string(title),
            "sheets": .int(sheetCount), "people": .optional(participantCount, JSON.int),
            "reliability_from": .string(
                participantCount == nil ? "all_sheets" : "first_sheet_of_each_person"),
            "scales": .array(scales.map(\.json)),
            "sheet_figures": .array(patternFigures.map(\.json)),
        ]
    }
}

extension InstrumentReport {
    /// One section of the page.
    var html: String {
        let from = participantCount == nil ? "all sheets" : "the first sheet of each participant"
        let participants =
            participantCount.map { " of " + HTML.count($0, "participant", "participants") } ?? ""
        return """
            <section><h2>\(HTML.escaped(title)) <small>\(HTML.escaped(code)) \(HTML.escaped(version))</small></h2>
            <p>\(HTML.count(sheetCount, "sheet", "sheets"))\(participants). Reliability and item figures use \(from).</p>
            \(scaleTable)
            \(participantCount == nil ? "" : changeTable)
            \(armTable)
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
                "α median-imputed", "ω total, standardised", "ω total, raw", "Mean r", "SEM",
            ],
            rows: scales.map { scale in
                let figures = scale.figures
                return [HTML.heading(scale.title)]
                    + [HTML.cell(figures.first("n"), .count)]
                    + ["mean", "sd", "skew"].map { HTML.cell(figures.first($0)) }
                    + ["floor", "ceiling"].map { HTML.cell(figures.first($0), .share) }
                    + [.listwise, .pairwise, .median].map { HTML.cell(figures.first("alpha", $0)) }
                    + ["omega_total", "omega_total_raw", "mean_inter_item_r", "sem"].map {
                        HTML.cell(figures.first($0))
                    }
            })
    }

    private var changeTable: String {
        HTML.table(
            caption: "Repeated scores of the same participants",
            header: [
                "Scale", "Test-retest r", "ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "Variance between",
                "Variance within", "ICC, null model", "RkF", "RkR", "Rc", "Smallest reliable change",
                "Reliably higher", "Reliably lower",
            ],
            rows: scales.map { scale in
                [HTML.heading(scale.title)]
                    + [
                        "test_retest_r", "icc_1_1", "icc_a_1", "icc_c_1", "variance_between",
                        "variance_within", "icc_null_model", "reliability_rkf", "reliability_rkr",
                        "reliability_rc",
                        "smallest_reliable_change",
                    ].map { HTML.cell(scale.figures.first($0)) }
                    + ["reliably_higher", "reliably_lower"].map { HTML.cell(scale.figures.first($0), .count) }
            })
    }

    private var armTable: String {
        let rows = scales.flatMap { scale in
            scale.arms.map { arm in
                [
                    HTML.heading(scale.title), "<td>\(HTML.escaped(arm.arm))</td>",
                    "<td>\(arm.participantCount.map(String.init) ?? "–")</td>",
                    HTML.cell(arm.figures.first("n"), .count),
                ] + ["mean", "sd", "min", "max"].map { HTML.cell(arm.figures.first($0)) }
            }
        }
        guard !rows.isEmpty else { return "" }
        return HTML.table(
            caption: "Scores by arm",
            header: ["Scale", "Arm", "Participants", "n", "Mean", "SD", "Minimum", "Maximum"], rows: rows)
    }

    private var patternTable: String {
        HTML.table(
            caption: "Medians over sheets; report_sheets.csv contains each sheet",
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
    /// The distribution of the scores, and their means over time.
    fileprivate var plots: String {
        let caption = HTML.escaped(title)
        let distribution = histogram.map {
            "<figure>\($0.plot(title: title))<figcaption>\(caption): sheets by score</figcaption></figure>"
        }
        let course =
            weeks.isEmpty
            ? nil
            : "<figure>\(TrajectoryPlot.text([.init(arm: nil, weeks: weeks)], title: title))<figcaption>\(caption): mean of participants by week, 95 % interval</figcaption></figure>"
        return "<div class=\"plots\">\(distribution ?? "")\(course ?? "")\(plotsByArm)</div>"
    }

    /// The same for each arm: one distribution per arm, and all courses in one plot.
    private var plotsByArm: String {
        let distributions = arms.compactMap { arm in
            arm.histogram.map {
                "<figure>\($0.plot(title: "\(title), arm \(arm.arm)"))<figcaption>\(HTML.escaped("\(title), arm \(arm.arm)")): sheets by score</figcaption></figure>"
            }
        }
        let courses = arms.filter { !$0.weeks.isEmpty }.map {
            TrajectoryPlot.Course(arm: $0.arm, weeks: $0.weeks)
        }
        let course =
            courses.isEmpty
            ? ""
            : "<figure>\(TrajectoryPlot.text(courses, title: "\(title) by arm"))<figcaption>\(HTML.escaped(title)): mean of participants by week and arm, 95 % interval</figcaption></figure>"
        return distributions.joined() + course
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
