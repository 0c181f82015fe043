import SaunterCohort
import SaunterCore

/// Makes up the fields of a form: many valid answers, and some of every kind that the server rejects.
enum RandomFields {
    /// Zones with and without daylight saving time, and far from UTC.
    static let zones = [
        "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago",
    ].compactMap { Zone($0) }

    private static let texts = [
        "calm", "a", "b", "Caf\u{E9}", "Cafe\u{301}", "one two three", "12", "abc123", "\u{1F600}", "x-1",
        " spaced ",
        "zwölf", "line\r\nbreak", "0", "true", "AB", "A\u{30A}", "\u{3A9}mega", "\u{65E5}\u{672C}", "\u{250}",
        "a\0b", "naïve text with many words that goes on",
    ]
    private static let badNumbers = [
        "many", "2.5", "1e3", "99999999999999999999", "9007199254740993", "-", ".", "1,5,7", "1.234.567",
        "1,234.5",
        "\u{663}", "1\u{A0}000", "\u{2212}4", "0.1234567890123456789", "-0.0", "+7", "00012", "5.", ".5",
        "1'000",
        "123456789012345.6", "\u{96C}", "1 2", "--1", "\u{4E00}",
        "2\u{66B}5", "9007199254740991", "9007199254740992", "12345678901234.5", "0.0000000000000012",
        "1234567890123450",
        "100000", "100001", "0.001234567890123",
    ]

    /// An instant of 2025 or 2026 in UTC, often within two seconds of midnight in the zone.
    static func instant(in zone: Zone, from numbers: inout SeededNumbers) -> Instant {
        if numbers.chance(0.3) {
            let day = LocalDate(days: Int.random(in: 20_100...20_800, using: &numbers))
            return zone.startOfDay(day).adding(seconds: Int.random(in: -2...2, using: &numbers))
        }
        return Instant(milliseconds: Int64.random(in: 1_735_689_600_000...1_798_761_600_000, using: &numbers))
    }

    /// The fields of a form: name -> text.
    static func fields(of items: [Item], from numbers: inout SeededNumbers) -> JSONObject {
        var fields = JSONObject()
        add(items, prefix: "", to: &fields, from: &numbers)
        return fields
    }

    private static func add(
        _ items: [Item], prefix: String, to fields: inout JSONObject, from numbers: inout SeededNumbers
    ) {
        for item in items {
            if item.isRepeatingGroup {
                let count = Int.random(in: 0...3, using: &numbers) + (numbers.chance(0.05) ? 3 : 0)
                if count > 0 || numbers.chance(0.5) { fields["n.\(item.linkId)"] = .string(String(count)) }
                for number in 0..<count where numbers.chance(0.9) {
                    add(item.item, prefix: "\(item.linkId).\(number).", to: &fields, from: &numbers)
                }
            } else if item.type == .group {
                add(item.item, prefix: prefix, to: &fields, from: &numbers)
            } else if item.type.isQuestion {
                let name = "\(prefix)\(item.linkId)"
                if item.hidden || numbers.chance(0.2) {
                    if numbers.chance(0.2) { fields["r.\(name)"] = "refused" }
                } else {
                    answer(item, "a.\(name)", to: &fields, from: &numbers)
                }
            }
        }
    }

    private static func answer(
        _ item: Item, _ name: String, to fields: inout JSONObject, from numbers: inout SeededNumbers
    ) {
        func set(_ suffix: String, _ text: String) { fields[name + suffix] = .string(text) }
        switch item.type.form {
        case .options: choice(item, name, to: &fields, from: &numbers)
        case .truth: set("", numbers.chance(0.05) ? "maybe" : numbers.chance(0.5) ? "true" : "false")
        case .number where item.type.hasUnits:
            set("", number(item, from: &numbers))
            if numbers.chance(0.9) {
                let unit = item.unitOption.randomElement(using: &numbers)
                set(".unit", numbers.chance(0.05) ? "furlongs" : unit ?? "")
            }
        case .ranking:
            if numbers.chance(0.02) { set(".comparisons", "[]") }
            let ranks = Array(1...item.answerOption.count).shuffled(using: &numbers)
            for (option, rank) in zip(item.answerOption, ranks) where numbers.chance(0.95) {
                set("[\(option.value.text)]", numbers.chance(0.03) ? "first" : String(rank))
            }
        case .location:
            let indices = item.repeats ? (0..<Int.random(in: 0...3, using: &numbers)).map { "[\($0)]" } : [""]
            for index in indices {
                if numbers.chance(0.95) { set("\(index).lat", number(-95...95, from: &numbers)) }
                if numbers.chance(0.95) { set("\(index).lon", number(-190...190, from: &numbers)) }
                if numbers.chance(0.5) { set("\(index).accuracy_m", number(-1...200_000, from: &numbers)) }
            }
        case .moment where item.expressionType == .instant:
            if numbers.chance(0.95) { set(".date", date(from: &numbers)) }
            if numbers.chance(0.95) { set(".time", time(from: &numbers)) }
        case .number, .text, .moment:
            let count = item.repeats ? Int.random(in: 0...4, using: &numbers) : 1
            let lines = (0..<(item.repeats && numbers.chance(0.01) ? 101 : count)).map { _ in
                line(item, from: &numbers)
            }
            set("", lines.joined(separator: numbers.chance(0.5) ? "\r\n" : "\n"))
        case .nothing: break
        }
    }

    private static func choice(
        _ item: Item, _ name: String, to fields: inout JSONObject, from numbers: inout SeededNumbers
    ) {
        let options = item.answerOption.map(\.value.text)
        if item.repeats {
            let share = Double.random(in: 0...1, using: &numbers)
            for option in options where numbers.chance(share) { fields["\(name)[\(option)]"] = "on" }
        } else {
            let isOther = item.type.acceptsFreeText && numbers.chance(0.3)
            let option = numbers.chance(0.05) ? "elsewhere" : options.randomElement(using: &numbers) ?? ""
            fields[name] = .string(isOther ? "other" : option)
        }
        if item.type.acceptsFreeText, numbers.chance(0.4) {
            fields["\(name).other"] = .string(numbers.chance(0.2) ? " " : text(item, from: &numbers))
        }
    }

    private static func line(_ item: Item, from numbers: inout SeededNumbers) -> String {
        if numbers.chance(0.05) { return numbers.chance(0.5) ? "" : " \t" }
        switch item.type.form {
        case .number: return number(item, from: &numbers)
        case .moment: return item.expressionType == .date ? date(from: &numbers) : time(from: &numbers)
        default: return text(item, from: &numbers)
        }
    }

    private static func text(_ item: Item, from numbers: inout SeededNumbers) -> String {
        if let regex = item.regex, numbers.chance(0.7) {
            do throws(PatternFault) {
                let match = try Pattern(regex).example(
                    lengths: 1...(item.maxLength ?? 20), from: &numbers)
                if let match { return match }
            } catch {
                return ""
            }
        }
        if numbers.chance(0.01) {
            return String(repeating: "x", count: Int.random(in: 999...1001, using: &numbers))
        }
        if item.type == .text, numbers.chance(0.002) {
            return String(repeating: "x", count: Int.random(in: 20_000...20_001, using: &numbers))
        }
        return numbers.chance(0.2) ? "calm" : texts.randomElement(using: &numbers) ?? ""
    }

    private static func number(_ item: Item, from numbers: inout SeededNumbers) -> String {
        if numbers.chance(0.12) { return badNumbers.randomElement(using: &numbers) ?? "" }
        let bound = [item.minValue, item.maxValue].compactMap(\.self).randomElement(using: &numbers)
        if let bound, numbers.chance(0.2) { return JSON.double(bound).text }
        let least = max(item.minValue ?? -3, -1000)
        let most = max(min(item.maxValue ?? 12, 1000), least)
        if item.type.hasUnits, numbers.chance(0.4) {
            return ["1", "60", "3600", "0.5", "1000", "0.001", "0", "3"].randomElement(using: &numbers) ?? ""
        }
        let whole = Int.random(in: Int(least) - 1...Int(most) + 1, using: &numbers)
        guard !item.type.definition.isWhole, numbers.chance(0.6) else { return String(whole) }
        let mark = numbers.chance(0.5) ? "." : ","
        return "\(whole)\(mark)\(Int.random(in: 0...(numbers.chance(0.8) ? 99 : 99_999), using: &numbers))"
    }

    private static func number(_ range: ClosedRange<Int>, from numbers: inout SeededNumbers) -> String {
        if numbers.chance(0.05) { return badNumbers.randomElement(using: &numbers) ?? "" }
        let whole = Int.random(in: range, using: &numbers)
        return numbers.chance(0.5) ? String(whole) : "\(whole).\(Int.random(in: 0...99_999, using: &numbers))"
    }

    private static func date(from numbers: inout SeededNumbers) -> String {
        if numbers.chance(0.08) {
            let special = [
                "2026-02-30", "2026-13-01", "2024-02-29", "0000-01-01", "0001-01-01", "9999-12-31",
                "2026-1-1", "soon",
            ]
            return special.randomElement(using: &numbers) ?? ""
        }
        // The days on which clocks change in Europe.
        if numbers.chance(0.15) { return numbers.chance(0.5) ? "2026-03-29" : "2026-10-25" }
        let spread = numbers.chance(0.5) ? 5 : 40
        return LocalDate(days: 20_800 + Int.random(in: -spread...spread, using: &numbers)).description
    }

    private static func time(from numbers: inout SeededNumbers) -> String {
        if numbers.chance(0.08) {
            return ["24:00", "8:30", "08:60", "23:59:60", "noon"].randomElement(using: &numbers) ?? ""
        }
        if numbers.chance(0.3) {
            return [
                "10:00", "10:30", "11:00", "05:59:59", "06:00:01", "19:59:59", "20:00", "20:00:01", "02:00",
                "02:30",
                "03:00",
            ].randomElement(using: &numbers) ?? ""
        }
        let seconds = Int.random(in: 0..<86_400, using: &numbers)
        return (LocalTime(seconds: numbers.chance(0.8) ? seconds / 900 * 900 : seconds) ?? .midnight)
            .description
    }
}
