import Testing

@testable import SaunterPacks

/// One change that breaks a valid pack, and the expected faults. An expected fault that ends with `: *` fixes only the
/// file and the line, because its message belongs to a rule in SaunterCore, which has separate tests.
struct Breakage: Sendable, CustomTestStringConvertible {
    let file: String
    let passage: String
    let other: String
    let faults: [String]

    init(_ file: String, _ passage: String, _ other: String, _ faults: String...) {
        self.file = file
        self.passage = passage
        self.other = other
        self.faults = faults
    }

    var testDescription: String { "\(file): \(other.prefix(40))" }

    /// The faults of parsing, as texts without the folder. If `*` is expected, the message is replaced by `*`.
    func found(in folder: String, reading: () throws(PackFaults) -> Void) -> [String] {
        let found = texts(in: folder, reading: reading)
        guard found.count == faults.count else { return found }
        return zip(found, faults).map { found, expected in
            expected.hasSuffix(": *") && found.hasPrefix(expected.dropLast()) ? expected : found
        }
    }

    private func texts(in folder: String, reading: () throws(PackFaults) -> Void) -> [String] {
        do {
            try reading()
            return []
        } catch {
            return error.list.map { fault in
                fault.description.hasPrefix(folder)
                    ? String(fault.description.dropFirst(folder.count)) : fault.description
            }
        }
    }
}
