/// A unit in the case-sensitive form of UCUM, such as `/min`, `mm[Hg]` or `mg/dL`: symbols with prefixes and exponents,
/// whole numbers, products, quotients and brackets. Words in braces are taken as UCUM takes them: as 1.
package struct UCUMUnit: Sendable, Hashable {
    package let text: String

    package static let maximumLength = 64

    /// Where a text is none of UCUM's units.
    package struct Fault: Error, Sendable, Hashable {
        /// In characters, from 1.
        package let position: Int
        package let detail: String

        /// As a problem document says it.
        var sentence: String {
            "Units are those of UCUM, in their case-sensitive form. At character \(position): \(detail)"
                + (detail.hasSuffix("?") ? "" : ".")
        }
    }

    /// Refuses what is no unit, or holds a symbol that UCUM does not have.
    package init(_ text: String) throws(Fault) {
        if let byte = text.utf8.firstIndex(where: { !(0x21...0x7E).contains($0) }) {
            throw Fault(
                position: text.utf8.distance(from: text.startIndex, to: byte) + 1,
                detail: "units are of printed characters of ASCII, without spaces" + Self.hint(text))
        }
        guard (1...Self.maximumLength).contains(text.utf8.count) else {
            throw Fault(position: 1, detail: "a unit has from 1 to \(Self.maximumLength) characters")
        }
        var reader = UCUMReader(text)
        do throws(Fault) {
            try reader.unit()
        } catch {
            throw Fault(position: error.position, detail: error.detail + Self.hint(text))
        }
        self.text = text
    }

    /// What was probably meant, as the end of a sentence; empty where nobody knows.
    private static func hint(_ text: String) -> String {
        let small = text.lowercased()
        // What is counted, such as cups, is a remark in braces; a misspelt term is none.
        let word = text.allSatisfy { $0.isASCII && $0.isLetter } ? ["{\(text)}"] : []
        let meant =
            switch text {
            case "\u{B0}C", "\u{2103}": "Cel"
            case "\u{B0}F", "\u{2109}": "[degF]"
            default:
                UCUMAtoms.usual[small]
                    ?? ([small.replacing("^", with: ""), small, "[\(text)]"] + word).first {
                        $0 != text && isOne($0)
                    }
            }
        return meant.map { "; did you mean \($0)?" } ?? ""
    }

    /// Whether it is a unit.
    package static func isOne(_ text: String) -> Bool {
        guard (1...maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        var reader = UCUMReader(text)
        do throws(Fault) {
            try reader.unit()
            return true
        } catch {
            return false
        }
    }
}
