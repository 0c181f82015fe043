/// Forms of texts, units, numbers of answers, and media.
extension DefinitionCheck {
    private static let maximumUnits = 50
    private static let maximumSourceLength = 500

    mutating func checkForm(_ place: Place) {
        let item = place.item
        if let regex = item.regex {
            do throws(PatternFault) {
                _ = try Pattern(regex)
            } catch {
                faults.add(
                    "\(place.pointer)/regex", "bad_pattern",
                    "At character \(error.position): \(error.detail).")
            }
        }
        if let unit = item.unit { checkUnit(unit, "\(place.pointer)/unit") }
        guard item.type == .quantity else { return }
        let pointer = "\(place.pointer)/unitOption"
        if item.unitOption.isEmpty { faults.add(pointer, "no_units", "A quantity needs units.") }
        if item.unitOption.count > Self.maximumUnits {
            faults.add(pointer, "too_many_units", "At most \(Self.maximumUnits) units are taken.")
        }
        for (index, unit) in item.unitOption.prefix(Self.maximumUnits).enumerated() {
            if item.unitOption.firstIndex(of: unit) != index {
                faults.add("\(pointer)/\(index)", "duplicate_unit", "This unit is named twice.")
            }
            checkUnit(unit, "\(pointer)/\(index)")
        }
    }

    private mutating func checkUnit(_ unit: String, _ pointer: String) {
        do throws(UCUMUnit.Fault) {
            _ = try UCUMUnit(unit)
        } catch {
            faults.add(pointer, "bad_unit", error.sentence)
        }
    }

    mutating func checkOccurs(_ place: Place) {
        let item = place.item
        let most = item.type.hasOptions ? max(item.answerOption.count + 1, 1) : Item.maximumOccurs
        // More cannot be chosen at once than options that exclude no others, and own words.
        let together =
            item.answerOption.filter { !$0.exclusive }.count + (item.type == .openChoice ? 1 : 0)
        let bounds = [
            ("minOccurs", item.minOccurs, item.type.hasOptions ? max(together, 1) : most),
            ("maxOccurs", item.maxOccurs, most),
        ]
        for (name, bound, most) in bounds {
            if let bound, !(1...most).contains(bound) {
                faults.add("\(place.pointer)/\(name)", "out_of_range", "This number is from 1 to \(most).")
            }
        }
        if let least = item.minOccurs, let most = item.maxOccurs, least > most {
            faults.add("\(place.pointer)/minOccurs", "empty_range", "The least number is above the greatest.")
        }
        guard place.within != nil else { return }
        if item.isRepeatingGroup || item.isList || item.type == .ranking {
            faults.add(
                "\(place.pointer)/\(item.type == .ranking ? "type" : "repeats")", "nested_repeats",
                "In a repeating group stand no rankings, and only choices repeat.")
        }
    }

    mutating func checkMedia(_ place: Place) {
        guard let source = place.item.media?.source else { return }
        let bytes = Array(source.utf8)
        let isAddress = source.hasPrefix("https://") && bytes.count > 8
        let isPath =
            source.hasPrefix("media/") && !source.contains("..") && !source.contains("//")
            && bytes.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (45...57).contains($0) || $0 == 95
            }
        if !isAddress && !isPath || bytes.count > Self.maximumSourceLength
            || !bytes.allSatisfy({ (33...126).contains($0) })
        {
            faults.add(
                "\(place.pointer)/media/source", "bad_source",
                "A source is an https address, or a path such as media/walk.png.")
        }
    }
}
