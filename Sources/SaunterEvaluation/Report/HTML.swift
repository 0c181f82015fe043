import Foundation
import SaunterStatistics

/// Words and numbers for a page.
enum HTML {
    /// Text as content or as an attribute in double quotes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // No page may hold these.
            case "\0"..."\u{8}", "\u{B}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Two or three digits after the point, none for whole numbers.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value == value.rounded(), value.magnitude < 1e9 { return String(format: "%.0f", value) }
        return String(format: value.magnitude < 1e9 ? (value.magnitude < 1 ? "%.3f" : "%.2f") : "%.4g", value)
    }

    /// A cell of a table: the figure with its interval, or a dash that says why.
    static func cell(_ figure: ReportFigure?, isShare: Bool = false) -> String {
        guard let figure else { return "<td>–</td>" }
        switch figure.value {
        case .failure(let gap): return "<td title=\"\(escaped(gap.sentence))\">–</td>"
        case .success(let value):
            let text = isShare ? "\(number((value * 1000).rounded() / 10)) %" : number(value)
            guard let lower = figure.lower, let upper = figure.upper else { return "<td>\(text)</td>" }
            return "<td>\(text) <small>[\(number(lower)), \(number(upper))]</small></td>"
        }
    }

    /// A table with a header; cells are whole `td` elements.
    static func table(caption: String, header: [String], rows: [[String]]) -> String {
        let head = header.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let body = rows.map { "<tr>\($0.joined())</tr>" }.joined(separator: "\n")
        return
            "<table><caption>\(escaped(caption))</caption><thead><tr>\(head)</tr></thead><tbody>\n\(body)\n</tbody></table>"
    }

    static func heading(_ text: String) -> String { "<th scope=\"row\">\(escaped(text))</th>" }
}
