import Foundation
import SaunterFigures
import SaunterStatistics

/// Formats text and numbers for an HTML page.
package enum HTML {
    /// Escapes text for use as content or as an attribute in double quotation marks.
    package static func escaped(_ text: String) -> String { Markup.escaped(text) }

    /// Whole numbers without a decimal point, other numbers with two or three decimals.
    package static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        guard value.magnitude < 1e9 else { return String(format: "%.4g", value) }
        return value == value.rounded() ? String(format: "%.0f", value) : decimal(value)
    }

    /// Three decimals below 1, otherwise two.
    private static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        guard value.magnitude < 1e9 else { return String(format: "%.4g", value) }
        return String(format: value.magnitude < 1 ? "%.3f" : "%.2f", value)
    }

    /// A share from 0 to 1 as a percentage.
    static func percent(_ share: Double) -> String {
        share.isFinite ? String(format: "%.1f %%", min(1e9, max(-1e9, share)) * 100) : "–"
    }

    /// A number with a noun: `1 sheet`, `2 sheets`.
    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    /// How a figure is formatted.
    enum FigureFormat {
        case decimal, count, share
    }

    /// A table cell: the figure with its interval, or a dash with a letter that refers to the reason below the table.
    static func cell(_ figure: ReportFigure?, _ format: FigureFormat = .decimal) -> String {
        guard let figure else { return "<td>–</td>" }
        switch figure.value {
        case .failure(let reason): return "<td>–\(mark(reason))</td>"
        case .success(let value):
            let text =
                switch format {
                case .decimal: decimal(value)
                case .count: number(value)
                case .share: percent(value)
                }
            guard let lower = figure.lower, let upper = figure.upper else { return "<td>\(text)</td>" }
            return "<td>\(text) <small>[\(decimal(lower)), \(decimal(upper))]</small></td>"
        }
    }

    /// The letter of a reason. It is the same in all tables.
    private static func mark(_ reason: UndefinedStatistic) -> String {
        let index = UndefinedStatistic.allCases.firstIndex(of: reason) ?? 0
        return "<sup>\(Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))))</sup>"
    }

    /// A table with a header, and below it the reasons of its undefined figures. Cells are complete `td` elements.
    static func table(caption: String, header: [String], rows: [[String]]) -> String {
        let head = header.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let body = rows.map { "<tr>\($0.joined())</tr>" }.joined(separator: "\n")
        let reasons = UndefinedStatistic.allCases.filter { body.contains(mark($0)) }
            .map { "\(mark($0)) \(escaped($0.sentence))" }
        let notes = reasons.isEmpty ? "" : "<p class=\"notes\">\(reasons.joined(separator: "; "))</p>"
        return
            "<div class=\"wide\"><table><caption>\(escaped(caption))</caption><thead><tr>\(head)</tr></thead><tbody>\n\(body)\n</tbody></table>\(notes)</div>"
    }

    static func heading(_ text: String) -> String { "<th scope=\"row\">\(escaped(text))</th>" }
}
