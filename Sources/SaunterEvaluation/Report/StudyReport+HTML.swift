import SaunterCore

extension StudyReport {
    /// The page: words, tables and drawings, nothing that comes from elsewhere.
    var html: String {
        let name = study.map { "Report of the study \($0)" } ?? "Report of a table of answers"
        let people = instruments.map { "\($0.title) \($0.version)" }
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
            <p>\(asOf.map { "As of \(HTML.escaped($0.description)). " } ?? "")\(filters.map { HTML.escaped($0.words) } ?? "")\(HTML.count(sheetCount, "sheet", "sheets")): \(HTML.escaped(people.joined(separator: ", "))). \
            A dash has no number; point at it to see why.</p>
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
            <p>\(grid.done) of \(grid.due) done that were due (\(share)), \(grid.late) of them late. Darker is more; an outline is a day on \
            which nothing was done.\(grid.leftOut.map { " \($0)" } ?? "")</p>
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
            <p>\(HTML.count(walks.count, "walk", "walks")), \(above) of them faster than their target on the whole (orange). Mean speed in km/h by \
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
        .plots{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;break-inside:avoid}figcaption{font-size:.85rem;color:var(--soft)}
        .wide{overflow-x:auto}svg text{font:10px system-ui,sans-serif;fill:var(--soft)}svg{max-width:none}
        .bar,.done{fill:var(--main)}.missed{fill:none;stroke:var(--warm);stroke-width:.8}.axis{stroke:var(--soft);fill:none}
        .grid{stroke:var(--line);fill:none}.course{stroke:var(--main);fill:none}.interval{stroke:var(--main);stroke-width:2;fill:none}
        .mean{fill:var(--main)}.above{fill:var(--warm)}.target{stroke:var(--ink);stroke-dasharray:5 3;fill:none}
        dl{display:grid;grid-template-columns:max-content auto;gap:.1rem 1rem;font-size:.85rem}dt{font-family:monospace}dd{margin:0}
        @page{margin:12mm}@media print{body{margin:0;padding:0;max-width:none;font-size:10pt}table{font-size:7.5pt}th,td{padding:.1rem .25rem}
        td small{display:block}.wide{overflow:visible}svg{max-width:100%;height:auto}
        h2,h3,caption{break-after:avoid}thead{display:table-header-group}tr{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        """
}
