import SaunterCore

/// Reads the fields of a question document as the answers of a sheet. The names of fields begin with `a.`; a reason
/// for a blank begins with `r.`.
///
/// A value that cannot be read, such as "many" for a number, is passed on as text, so that the API reports it together
/// with all other faults.
struct AnswerFields {
    private let fields: JSONObject
    private let zone: Zone
    private(set) var answers = JSONObject()
    private(set) var reasons = JSONObject()

    /// - Parameters:
    ///   - items: the items of the questionnaire, in the form of the API.
    ///   - fields: the fields of the form.
    ///   - zone: the zone of dates with a time of day.
    init(_ items: [JSON], _ fields: JSONObject, zone: Zone) {
        self.fields = fields
        self.zone = zone
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
            if item.itemType == .group {
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

    /// The maximum number of instances of a group and of locations of an item that a form reads.
    private static let maximumCount = 100

    private func instances(of group: String, _ children: [JSON]) -> [JSON] {
        let count = min(Int(field("n.\(group)")) ?? 0, Self.maximumCount)
        return (0..<max(count, 0)).compactMap { number in
            let instance = read(children, prefix: "\(group).\(number).").answers
            return instance.isEmpty ? nil : .object(instance)
        }
    }

    private func value(of item: JSON, _ name: String) -> JSON? {
        let type = item.itemType
        let repeats = item["repeats"]?.bool ?? false
        switch type.form {
        case .options: return choice(item, name, repeats: repeats, isOpen: type.acceptsFreeText)
        case .truth:
            let text = field(name)
            return text.isEmpty ? nil : text == "true" ? true : text == "false" ? false : .string(text)
        case .number where type.hasUnits:
            let value = field(name)
            guard !value.isEmpty else { return nil }
            let units = item["unitOption"]?.array ?? []
            let unit = field("\(name).unit")
            return [
                "value": Self.number(value),
                "unit": unit.isEmpty && units.count == 1 ? units[0] : .string(unit),
            ]
        case .ranking: return ranking(item, name)
        case .location where repeats:
            let locations = (0..<Self.maximumCount).compactMap { location("\(name)[\($0)]") }
            return locations.isEmpty ? nil : .array(locations)
        case .location: return location(name)
        case .moment where type.definition.column == .instant:
            let (date, time) = (field("\(name).date"), field("\(name).time"))
            guard !date.isEmpty || !time.isEmpty else { return nil }
            return .string(instant(date, time)?.description ?? "\(date)T\(time)")
        case .nothing, .number, .text, .moment:
            let text = fields[name]?.string ?? ""
            guard !text.allSatisfy(\.isWhitespace) else { return nil }
            if repeats {
                let lines = text.split(whereSeparator: \.isNewline).map { String($0) }
                    .filter { !$0.allSatisfy(\.isWhitespace) }
                let values = JSON.array(lines.map { single($0, type) })
                return comparisons(name).map { ["values": values, "comparisons": $0] } ?? values
            }
            return single(text, type)
        }
    }

    private func location(_ name: String) -> JSON? {
        let (lat, lon) = (field("\(name).lat"), field("\(name).lon"))
        guard !lat.isEmpty || !lon.isEmpty else { return nil }
        var location: JSONObject = ["lat": Self.number(lat), "lon": Self.number(lon)]
        let accuracy = field("\(name).accuracy_m")
        if !accuracy.isEmpty { location["accuracy_m"] = Self.number(accuracy) }
        return .object(location)
    }

    /// The first instant at which the clock of the zone shows this date and time; nil if there is none.
    private func instant(_ date: String, _ time: String) -> Instant? {
        guard let date = LocalDate(date), let time = LocalTime(time),
            case .instants(let first, _, _) = LocalResolver.resolve(
                date: date, secondsOfDay: time.seconds, zone: zone)
        else { return nil }
        return first
    }

    /// The comparisons of pairs that the script recorded, as JSON; nil if there are none.
    private func comparisons(_ name: String) -> JSON? {
        let text = field("\(name).comparisons")
        guard !text.isEmpty else { return nil }
        do {
            return try JSONReader.read(text)
        } catch {
            return .string(text)
        }
    }

    private func single(_ text: String, _ type: ItemType) -> JSON {
        type.form == .number ? Self.number(text) : .string(text.withPlainLines)
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

    /// The comparisons of pairs; otherwise the options by the rank that was chosen for each; nil if no rank was chosen.
    /// An incomplete ranking is passed on as it is.
    private func ranking(_ item: JSON, _ name: String) -> JSON? {
        if let comparisons = comparisons(name) { return comparisons }
        let options = item["answerOption"]?.array?.compactMap { $0["value"] } ?? []
        let ranked = options.compactMap { option -> (rank: Int, option: JSON)? in
            Int(field("\(name)[\(Self.text(option))]")).map { ($0, option) }
        }
        guard !ranked.isEmpty else { return nil }
        return .array(ranked.sorted { $0.rank < $1.rank }.map(\.option))
    }

    /// The value of an option as text.
    static func text(_ option: JSON) -> String { option.string ?? option.text }

    /// A number as people type it; otherwise the text. Spaces and apostrophes group digits. Digits may be those of any
    /// script. The last comma or point is the decimal mark if the text has it once; all others group digits.
    static func number(_ text: String) -> JSON {
        guard let literal = literal(text) else { return .string(text) }
        do {
            return try JSONReader.read(literal)
        } catch {
            return .string(text)
        }
    }

    /// The JSON form of a number that a person typed; nil if the text is not a number.
    private static func literal(_ text: String) -> String? {
        var plain = ""
        for character in text where !character.isWhitespace && !"'’٬".contains(character) {
            if let digit = character.wholeNumberValue, (0...9).contains(digit) {
                plain += String(digit)
            } else {
                plain.append("−–".contains(character) ? "-" : character == "٫" ? "." : character)
            }
        }
        let isNegative = plain.first == "-"
        if let first = plain.first, "+-".contains(first) { plain.removeFirst() }
        var whole = plain
        var fraction = ""
        if let mark = plain.last(where: { ",.".contains($0) }), plain.count(where: { $0 == mark }) == 1,
            let position = plain.firstIndex(of: mark)
        {
            whole = String(plain[..<position])
            fraction = String(plain[plain.index(after: position)...])
        }
        whole.removeAll { ",.".contains($0) }
        guard !(whole + fraction).isEmpty, (whole + fraction).allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        while whole.count > 1, whole.first == "0" { whole.removeFirst() }
        while fraction.last == "0" { fraction.removeLast() }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
            + (fraction.isEmpty ? "" : ".\(fraction)")
    }
}

extension String {
    /// The text with the line ends of a form (CR LF) as LF.
    fileprivate var withPlainLines: String { replacing("\r\n", with: "\n") }
}
