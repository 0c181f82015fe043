import SaunterCore
import SaunterServer

/// The values of a dry run, as they are in the address of its page. The same address shows the same run.
struct DryRunForm {
    static let names = ["participants", "days", "start", "adherence", "dropout", "seed", "participant"]

    /// Whole numbers: field -> the least and the greatest value.
    private static let numbers = [
        "participants": 1...500, "days": 1...2 * Study.maximumDays, "seed": 0...2_147_483_647,
        "participant": 1...500,
    ]
    /// Shares in percent: field -> the greatest value.
    private static let shares = ["adherence": 100.0, "dropout": 97.0]

    /// Field -> text.
    let values: [String: String]

    /// - Parameter value: the text of a field; nil or empty for the default.
    init(_ value: (String) -> String?, now: Instant) {
        let defaults = [
            "participants": "50", "days": "", "start": Zone.utc.local(of: now).date.description,
            "adherence": "80", "dropout": "10", "seed": "1", "participant": "1",
        ]
        values = Dictionary(
            uniqueKeysWithValues: Self.names.map { name in
                let given = (value(name) ?? "").filter { !$0.isWhitespace }
                return (name, given.isEmpty ? defaults[name] ?? "" : given)
            })
    }

    private subscript(name: String) -> String { values[name] ?? "" }

    /// The body of the request; nil with faults.
    func body(_ faults: inout FormFaults, _ words: Words.Language) -> JSON? {
        var body: JSONObject = [:]
        for name in Self.names where !self[name].isEmpty {
            if let range = Self.numbers[name] {
                if let number = Int(self[name]), range.contains(number) {
                    body[name] = .int(number)
                } else {
                    addRange(name, String(range.lowerBound), String(range.upperBound), &faults, words)
                }
            } else if let maximum = Self.shares[name] {
                if let percent = Double(self[name].replacing(",", with: ".")), (0...maximum).contains(percent)
                {
                    body[name] = .double(percent / 100)
                } else {
                    addRange(name, "0", words.number(maximum), &faults, words)
                }
            } else if let date = LocalDate(self[name]) {
                body[name] = .string(date.description)
            } else {
                faults.add(words.text("dry_run", "fault_date"), field: name)
            }
        }
        return faults.isEmpty ? .object(body) : nil
    }

    private func addRange(
        _ name: String, _ least: String, _ most: String, _ faults: inout FormFaults, _ words: Words.Language
    ) {
        faults.add(
            words.text(
                "dry_run", "fault_range",
                ["field": words.text("dry_run", name), "least": least, "most": most]), field: name)
    }

    /// The address of the run.
    /// - Parameters:
    ///   - version: nil for the draft.
    ///   - changes: field -> another value.
    func address(_ path: String, version: String?, _ changes: [String: String] = [:]) -> String {
        var pairs = version.map { [("version", $0)] } ?? []
        pairs += Self.names.map { ($0, changes[$0] ?? self[$0]) }
        let query = pairs.filter { !$0.1.isEmpty }.map { "\($0.0)=\(PageAddress.encode($0.1))" }
        return "\(path)?\(query.joined(separator: "&"))"
    }
}
