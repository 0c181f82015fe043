import SaunterCore

/// The words of pages about statistics.
struct StatisticsWords {
    let language: Words.Language

    init(_ language: Words.Language) { self.language = language }

    func text(_ name: String, _ values: [String: String] = [:]) -> String {
        language.text("scores", name, values)
    }

    /// The name of a figure, with its treatment of missing answers.
    func figure(_ figure: JSON) -> String {
        let name = figure["figure"]?.string ?? ""
        let title = language["scores", "figure_\(name)"] ?? name
        guard let missing = figure["missing_data"]?.string, name == "alpha" else { return title }
        return "\(title), \(text("data_\(missing)"))"
    }

    /// Why a figure is undefined; empty if it is defined.
    func whyNot(_ figure: JSON) -> String {
        figure["why_not"]?.string.map { language["scores", "undefined_\($0)"] ?? $0 } ?? ""
    }

    /// Why a score is missing.
    func missing(_ reason: String) -> String { language["sheet", "reason_\(reason)"] ?? reason }

    /// A statistic: two decimal places, or three between -1 and 1.
    func number(_ value: Double) -> String {
        guard value.magnitude < 1e9 else { return String(value) }
        let scale = value.magnitude < 1 ? 1000.0 : 100
        let rounded = (value * scale).rounded() / scale
        guard rounded != rounded.rounded() else { return String(Int(rounded)) }
        return String(rounded).replacing(".", with: language.text("format", "decimal_mark"))
    }

    /// A share from 0 to 1.
    func percent(_ share: Double) -> String { "\(number((share * 1000).rounded() / 10)) %" }

    /// A share from 0 to 1 in whole percent.
    func wholePercent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    /// A statistic in a table; a dash if there is none.
    func cell(_ value: Double?) -> StaffTable.Cell { .statistic(value, text: value.map(number) ?? "–") }
}
