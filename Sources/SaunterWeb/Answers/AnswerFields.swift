import SaunterCore

/// Reads the fields of a question document as the answers of a sheet. The names of fields begin with `a.`; a reason
/// for a blank begins with `r.`.
///
/// A value that cannot be read, such as "many" for a number, is passed on as text, so that the API reports it together
/// with all other faults.
struct AnswerFields {
    private let fields: JSONObject
    private(set) var answers = JSONObject()
    private(set) var reasons = JSONObject()

    /// - Parameters:
    ///   - items: the items of the questionnaire, in the form of the API.
    ///   - fields: the fields of the form.
    init(_ items: [JSON], _ fields: JSONObject) {
        self.fields = fields
        (answers, reasons) = read(items, prefix: "")
    }

    /// The name of a field.
    /// - Parameter prefix: the repeating group and the number of the instance, such as `meals.1.`; empty outside of
    ///   one.
    static func name(_ prefix: String, _ linkId: String) -> String { "a.\(prefix)\(linkId)" }

    private func field(_ name: String) -> String {
        (fields[name]?.string ?? "").trimmingPrefix(while: \.isWhitespace).description
    }

    private func read(_ items: [JSON], prefix: String) -> (answers: JSONObject, reasons: JSONObject) {
        var answers = JSONObject()
        var reasons = JSONObject()
        for item in items {
            let linkId = item["linkId"]?.string ?? ""
            let children = item["item"]?.array ?? []
            if item["type"]?.string == "group" {
                if item["repeats"]?.bool == true {
                    let instances = instances(of: linkId, children)
                    if !instances.isEmpty { answers[linkId] = .array(instances) }
                } else {
                    let nested = read(children, prefix: prefix)
                    for member in nested.answers { answers[member.name] = member.value }
                    for member in nested.reasons { reasons[member.name] = member.value }
                }
                continue
            }
            if let value = value(of: item, Self.name(prefix, linkId)) {
                answers[linkId] = value
            } else {
                let reason = field("r.\(prefix)\(linkId)")
                if !reason.isEmpty { reasons[linkId] = .string(reason) }
            }
        }
        return (answers, reasons)
    }

    private func instances(of group: String, _ children: [JSON]) -> [JSON] {
        let count = min(Int(field("n.\(group)")) ?? 0, 100)
        return (0..<max(count, 0)).compactMap { number in
            let instance = read(children, prefix: "\(group).\(number).").answers
            return instance.isEmpty ? nil : .object(instance)
        }
    }

    private func value(of item: JSON, _ name: String) -> JSON? {
        let type = item["type"]?.string ?? ""
        let repeats = item["repeats"]?.bool ?? false
        switch type {
        case "choice", "open-choice":
            return choice(item, name, repeats: repeats, isOpen: type == "open-choice")
        case "boolean":
            let text = field(name)
            return text.isEmpty ? nil : text == "true" ? true : text == "false" ? false : .string(text)
        case "quantity":
            let value = field(name)
            guard !value.isEmpty else { return nil }
            let units = item["unitOption"]?.array ?? []
            let unit = field("\(name).unit")
            return [
                "value": Self.number(value),
                "unit": unit.isEmpty && units.count == 1 ? units[0] : .string(unit),
            ]
        case "ranking": return ranking(item, name)
        case "location":
            let (lat, lon) = (field("\(name).lat"), field("\(name).lon"))
            guard !lat.isEmpty || !lon.isEmpty else { return nil }
            var place: JSONObject = ["lat": Self.number(lat), "lon": Self.number(lon)]
            let accuracy = field("\(name).accuracy_m")
            if !accuracy.isEmpty { place["accuracy_m"] = Self.number(accuracy) }
            return .object(place)
        case "dateTime":
            let (date, time) = (field("\(name).date"), field("\(name).time"))
            guard !date.isEmpty || !time.isEmpty else { return nil }
            return .string("\(date)T\(time)")
        default:
            let text = fields[name]?.string ?? ""
            guard !text.allSatisfy(\.isWhitespace) else { return nil }
            if repeats {
                let lines = text.split(whereSeparator: \.isNewline).map { String($0) }
                    .filter { !$0.allSatisfy(\.isWhitespace) }
                return .array(lines.map { single($0, type) })
            }
            return single(text, type)
        }
    }

    private func single(_ text: String, _ type: String) -> JSON {
        type == "integer" || type == "decimal" ? Self.number(text) : .string(text.withPlainLines)
    }

    private func choice(_ item: JSON, _ name: String, repeats: Bool, isOpen: Bool) -> JSON? {
        let options = item["answerOption"]?.array?.compactMap { $0["value"] } ?? []
        let other = field("\(name).other")
        if repeats {
            var chosen = options.filter { fields["\(name)[\(Self.text($0))]"] != nil }
            if isOpen, !other.isEmpty { chosen.append(["other": .string(other)]) }
            return chosen.isEmpty ? nil : .array(chosen)
        }
        let text = field(name)
        if isOpen, text == "other" || text.isEmpty { return other.isEmpty ? nil : ["other": .string(other)] }
        guard !text.isEmpty else { return nil }
        return options.first { Self.text($0) == text } ?? .string(text)
    }

    /// The options by the rank that was chosen for each; nil if no rank was chosen. An incomplete ranking is passed on
    /// as it is.
    private func ranking(_ item: JSON, _ name: String) -> JSON? {
        let options = item["answerOption"]?.array?.compactMap { $0["value"] } ?? []
        let ranked = options.compactMap { option -> (rank: Int, option: JSON)? in
            Int(field("\(name)[\(Self.text(option))]")).map { ($0, option) }
        }
        guard !ranked.isEmpty else { return nil }
        return .array(ranked.sorted { $0.rank < $1.rank }.map(\.option))
    }

    /// The value of an option as text.
    static func text(_ option: JSON) -> String { option.string ?? option.text }

    /// A number as people type it, with a comma or a point; otherwise the text.
    static func number(_ text: String) -> JSON {
        let plain = text.filter { !$0.isWhitespace }.replacing(",", with: ".").replacing("−", with: "-")
        if let whole = Int(plain) { return .int(whole) }
        if let value = Double(plain), value.isFinite, plain.allSatisfy({ $0.isNumber || "+-.".contains($0) })
        {
            return .double(value)
        }
        return .string(text)
    }
}

extension String {
    /// The text with the line ends of a form (CR LF) as LF.
    fileprivate var withPlainLines: String { replacing("\r\n", with: "\n") }
}
