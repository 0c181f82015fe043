import SaunterCore
import SaunterStatistics

/// Reliability, item statistics and score trajectories of a study or of one CSV table.
package struct StudyReport: Sendable {
    /// The code of the study; nil for a table.
    package var study: String?
    /// The instant of the snapshot; nil for a table.
    package var asOf: Instant?
    /// The filters of the report; nil for a table.
    package var filters: DatasetFilters?
    /// Whether letters replace the codes of arms.
    package var isBlinded: Bool
    /// Nil for a table.
    package var flow: ParticipantFlow?
    /// One report per version of an instrument.
    package var instruments: [InstrumentReport]
    /// Nil for a table.
    package var adherence: AdherenceGrid?
    /// The walks of the study; nil for a table.
    package var walks: [WalkPoint]?

    /// Creates a report; by default without the parts that only a study has.
    package init(
        study: String? = nil, asOf: Instant? = nil, filters: DatasetFilters? = nil,
        isBlinded: Bool = false, flow: ParticipantFlow? = nil, instruments: [InstrumentReport],
        adherence: AdherenceGrid? = nil, walks: [WalkPoint]? = nil
    ) {
        self.study = study
        self.asOf = asOf
        self.filters = filters
        self.isBlinded = isBlinded
        self.flow = flow
        self.instruments = instruments
        self.adherence = adherence
        self.walks = walks
    }

    /// The number of sheets of all instruments.
    package var sheetCount: Int { instruments.reduce(0) { $0 + $1.sheetCount } }

    /// The contents of `report.json`.
    package var json: JSON {
        [
            "study": .optional(study, JSON.string), "as_of": .optional(asOf) { .string($0.description) },
            "filters": .optional(filters, \.json), "blinded": .bool(isBlinded),
            "flow": .optional(flow, \.json),
            "questionnaires": .array(instruments.map(\.json)),
            "adherence": .optional(adherence, \.json),
            "walks": .optional(walks) { .array($0.map(\.json)) },
            "meanings": .object(
                JSONObject(
                    ReportFigure.meanings.map { JSONObject.Member(name: $0.name, value: .string($0.meaning)) }
                )),
        ]
    }
}

extension StudyReport {
    /// `report.csv`: a row per figure.
    var figuresCSV: [UInt8] {
        var text = CSVText(header: [
            "questionnaire", "version", "scale", "item", "arm", "figure", "missing_data", "n", "value",
            "lower",
            "upper",
            "why_not",
        ])
        func add(
            _ figures: [ReportFigure], of instrument: InstrumentReport? = nil, scale: String? = nil,
            item: String? = nil, arm: String? = nil
        ) {
            for figure in figures {
                text.add(
                    [instrument?.code, instrument?.version, scale, item, arm] + [
                        figure.name, figure.missing?.rawValue, figure.count.map(String.init),
                        figure.value.value?.shortest, figure.lower?.shortest, figure.upper?.shortest,
                        figure.value.undefined?.rawValue,
                    ])
            }
        }
        for (arm, figure) in flow?.figures ?? [] { add([figure], arm: arm) }
        for instrument in instruments {
            for scale in instrument.scales {
                add(scale.figures, of: instrument, scale: scale.id)
                for arm in scale.arms { add(arm.figures, of: instrument, scale: scale.id, arm: arm.arm) }
                for item in scale.items {
                    add(item.figures, of: instrument, scale: scale.id, item: item.id)
                }
            }
            add(instrument.patternFigures, of: instrument)
        }
        return text.bytes
    }

    /// `report_sheets.csv`: a row per sheet.
    var sheetsCSV: [UInt8] {
        var text = CSVText(header: SheetPattern.columns)
        for instrument in instruments {
            for pattern in instrument.patterns {
                text.add([instrument.code, instrument.version] + pattern.cells)
            }
        }
        return text.bytes
    }
}

extension StudyReport {
    /// `report.html`: a page that loads no external resources.
    var html: String {
        let name = study.map { "Report of the study \($0)" } ?? "Report of a table of answers"
        let titles = instruments.map { "\($0.title) \($0.version)" }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTML.escaped(name))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <header>
            <h1>\(HTML.escaped(name))</h1>
            <p>\(asOf.map { "As of \(HTML.escaped($0.description)). " } ?? "")\(filters.map { HTML.escaped($0.sentence) } ?? "")\(HTML.count(sheetCount, "sheet", "sheets")): \(HTML.escaped(titles.joined(separator: ", "))). \
            A dash means that the number is undefined; its letter refers to the reason below the table.\(isBlinded ? " The report is blinded: letters replace the codes of arms." : "")</p>
            \(flow.map { "<p>Participants: \(HTML.escaped($0.sentence)).</p>" } ?? "")
            </header>
            <main>
            \(instruments.map(\.html).joined(separator: "\n"))
            \(adherence.map(Self.section) ?? "")
            \(walks.map(Self.section) ?? "")
            <section><h2>What the figures mean</h2>
            <dl>\(ReportFigure.meanings.map { "<dt>\($0.name)</dt><dd>\(HTML.escaped($0.meaning))</dd>" }.joined())</dl>
            </section>
            </main>
            </body>
            </html>

            """
    }

    private static func section(_ grid: AdherenceGrid) -> String {
        let share =
            grid.due > 0 ? HTML.percent(Double(grid.done) / Double(grid.due)) : "–"
        return """
            <section><h2>Adherence</h2>
            <p>\(grid.done) of \(grid.due) due occasions done (\(share)), \(grid.late) of them late. A darker box means that \
            more occasions were done; an outline means that none was done on this day.\(grid.omissionNote.map { " \($0)" } ?? "")</p>
            <div class="wide">\(grid.plot)</div>
            </section>
            """
    }

    private static func section(_ walks: [WalkPoint]) -> String {
        let above = walks.count { walk in
            guard let speed = walk.meanSpeed, let target = walk.targetSpeed else { return false }
            return speed > target
        }
        return """
            <section><h2>Walks</h2>
            <p>\(HTML.count(walks.count, "walk", "walks")), \(above) of them with a mean speed above their target (orange). Mean speed in km/h by \
            day of the study; the line is the mean target speed of the day's walks.</p>
            \(walks.isEmpty ? "" : "<div class=\"wide\">\(WalkPlot.text(walks))</div>")
            </section>
            """
    }

    private static let style = """
        :root{color-scheme:light;--ink:#1c2733;--soft:#5b6b7b;--line:#d5dde5;--main:#1f6f8b;--warm:#b4541a}
        body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:#fff;max-width:66rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.6rem;margin:0}h2{font-size:1.25rem;margin:2.2rem 0 .4rem;border-bottom:1px solid var(--line)}h3{font-size:1.05rem}
        p{max-width:50rem}table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums;font-size:.88rem}
        caption{text-align:left;white-space:nowrap;font-weight:600;padding:.2rem 0}th,td{padding:.2rem .55rem;border-bottom:1px solid var(--line);text-align:right}
        th[scope=row],th:first-child{text-align:left;font-weight:500;max-width:22rem}small{color:var(--soft)}
        .plots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;max-width:340px;break-inside:avoid}figcaption{font-size:.85rem;color:var(--soft)}
        .notes{font-size:.85rem;color:var(--soft);margin:-.6rem 0 1rem}.wide{overflow-x:auto}svg text{font:10px system-ui,sans-serif;fill:var(--soft)}svg{max-width:none}
        .bar,.done{fill:var(--main)}.missed{fill:none;stroke:var(--warm);stroke-width:.8}.axis{stroke:var(--soft);fill:none}
        .grid{stroke:var(--line);fill:none}.course{stroke:var(--main);fill:none}.interval{stroke:var(--main);stroke-width:2;fill:none}
        .mean{fill:var(--main)}.above{fill:var(--warm)}.target{stroke:var(--ink);stroke-dasharray:5 3;fill:none}
        .course.style1,.interval.style1{stroke:var(--warm)}.mean.style1{fill:var(--warm)}.course.style1{stroke-dasharray:6 3}
        .course.style2,.interval.style2{stroke:var(--ink)}.mean.style2{fill:var(--ink)}.course.style2{stroke-dasharray:2 3}
        .course.style3,.interval.style3{stroke:#7a4fa3}.mean.style3{fill:#7a4fa3}.course.style3{stroke-dasharray:8 3 2 3}
        dl{display:grid;grid-template-columns:max-content auto;gap:.1rem 1rem;font-size:.85rem}dt{font-family:monospace}dd{margin:0}
        @page{margin:12mm}@media print{body{margin:0;padding:0;max-width:none;font-size:10pt}table{font-size:7pt}th,td{padding:.1rem .15rem}
        td small{display:block}.wide{overflow:visible}svg{max-width:100%;height:auto;break-inside:avoid}
        .plots{display:block}figure{display:inline-block;vertical-align:top;margin:0 6mm 4mm 0}
        h2,h3,caption{break-after:avoid}thead{display:table-header-group}tr{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        """
}

extension StudyReport {
    /// Writes `report.csv`, `report_sheets.csv`, `report.json` and `report.html` into a new folder. The folder gets its
    /// final name after all files are complete.
    /// - Throws: `DatasetFault.directoryInUse`, or an error of the file system. After an error the folder is removed.
    package func write(to directory: String) throws {
        var target = try DatasetDirectory(directory, folders: [])
        do {
            try target.write("report.csv", figuresCSV, isTable: true)
            try target.write("report_sheets.csv", sheetsCSV, isTable: true)
            try target.write("report.json", Array((json.text + "\n").utf8))
            try target.write("report.html", Array(html.utf8))
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
    }
}
