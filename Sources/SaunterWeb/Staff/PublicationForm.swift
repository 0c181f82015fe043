import SaunterCore
import SaunterServer

/// The values of the form that publishes a draft. They can also be in the address of the page, so that no choice is
/// lost if the server asks for the password first. The code is not in the address, because the visitor types it to
/// confirm what the page shows.
struct PublicationForm: Equatable {
    /// The names of the query parameters, which are those of the fields.
    static let names = ["follow", "revision", "expected"]

    /// `yes` if enrolled participants follow the version, `no` if they stay on theirs; empty before the choice.
    var follow: String
    /// The code of the study, as the visitor typed it.
    var code: String
    /// The revision of the draft that the visitor saw.
    var revision: String
    /// The numbers that the visitor saw; nil if they cannot be read.
    var expected: PublicationNumbers?

    /// - Parameter value: the value of a field; nil or empty for none.
    init(_ value: (_ name: String) -> String?) {
        func text(_ name: String) -> String { value(name) ?? "" }
        follow = ["yes", "no"].contains(text("follow")) ? text("follow") : ""
        code = text("code")
        revision = text("revision")
        expected = PublicationNumbers(text: text("expected"))
    }

    /// The typed code without spaces, which a keyboard adds after a word.
    var typedCode: String { code.filter { !$0.isWhitespace } }

    /// The address of the page with these values in the form, except for the code.
    func address(_ path: String) -> String {
        let values = [follow, revision, expected?.text ?? ""]
        let pairs = zip(Self.names, values).filter { !$0.1.isEmpty }
            .map { "\($0.0)=\(PageAddress.encode($0.1))" }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }
}

/// The numbers of a publication: what its preview states, or what it did.
struct PublicationNumbers: Equatable {
    /// The numbers in the order of the page. The first seven are those of `PublicationEffect` of the API; `sheets` are
    /// the answer sheets that are scored again.
    static let names = [
        "enrolments", "awaiting_consent", "moved", "cancelled", "added", "told_before", "open", "sheets",
    ]

    private var values: [String: Int]

    /// - Parameters:
    ///   - kind: what is published. An edition moves no participants, also if some are on other versions.
    ///   - effect: a `PublicationEffect` of the API; nil if the draft cannot be read.
    ///   - rescoring: what the API states about sheets that are scored again; nil or null for none.
    init(of kind: String, effect: JSON?, rescoring: JSON?) {
        values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, 0) })
        guard kind == "version" else { return }
        for name in ["enrolments", "awaiting_consent"] { values[name] = effect?[name]?.int ?? 0 }
        for name in ["moved", "cancelled", "added", "told_before", "open"] {
            values[name] = effect?["total"]?[name]?.int ?? 0
        }
        values["sheets"] = (rescoring?["touches"]?.array ?? []).reduce(0) { $0 + ($1["sheets"]?.int ?? 0) }
    }

    /// Reads the numbers from a form or an address.
    /// - Parameter text: result of `text`. Any other text gives nil.
    init?(text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == Self.names.count, numbers.allSatisfy({ ($0 ?? -1) >= 0 }) else { return nil }
        values = Dictionary(
            uniqueKeysWithValues: zip(Self.names, numbers).map { ($0, $1 ?? 0) })
    }

    /// The numbers in the order of the names, separated by dots.
    var text: String { Self.names.map { String(self[$0]) }.joined(separator: ".") }

    subscript(name: String) -> Int { values[name] ?? 0 }

    /// The names of the numbers that differ.
    func differences(from other: PublicationNumbers) -> [String] {
        Self.names.filter { self[$0] != other[$0] }
    }
}

/// What a publication did, as it is in the address of the page to which it leads.
struct PublicationResult: Equatable {
    /// The names of the query parameters.
    static let names = [
        "published", "edition", "moved", "remaining", "superseded", "part", "expected", "happened",
    ]

    /// What was published: `version`, `edition`, or `nothing` if both were published before.
    var kind: String
    /// The live edition of the library; nil if the study has no library.
    var edition: Int?
    /// The participants who follow the version now; nil if they stay on theirs.
    var moved: Int?
    /// The participants who will follow but do not yet, because one request moves a limited number.
    var remaining = 0
    /// Whether another version became live, so that no further participants were moved.
    var isSuperseded = false
    /// Whether the study is so large that the numbers are those of a part of its participants.
    var isPart = false
    /// The numbers that the visitor saw before.
    var expected: PublicationNumbers
    var happened: PublicationNumbers

    init(
        kind: String, edition: Int?, moved: Int?, remaining: Int = 0, isSuperseded: Bool = false,
        isPart: Bool = false, expected: PublicationNumbers, happened: PublicationNumbers
    ) {
        self.kind = kind
        self.edition = edition
        self.moved = moved
        self.remaining = remaining
        self.isSuperseded = isSuperseded
        self.isPart = isPart
        self.expected = expected
        self.happened = happened
    }

    /// - Parameter query: the value of a query parameter. Without a complete result it is nil.
    init?(query: (_ name: String) -> String?) {
        guard let kind = query("published"), ["version", "edition", "nothing"].contains(kind),
            let expected = PublicationNumbers(text: query("expected") ?? ""),
            let happened = PublicationNumbers(text: query("happened") ?? "")
        else { return nil }
        func number(_ name: String) -> Int? { query(name).flatMap { Int($0) } }
        self.init(
            kind: kind, edition: number("edition"), moved: number("moved"),
            remaining: number("remaining") ?? 0, isSuperseded: query("superseded") != nil,
            isPart: query("part") != nil, expected: expected,
            happened: happened)
    }

    /// The address of the page with the result.
    func address(_ path: String) -> String {
        var pairs = ["published=\(kind)"]
        if let edition { pairs.append("edition=\(edition)") }
        if let moved { pairs.append("moved=\(moved)") }
        if remaining > 0 { pairs.append("remaining=\(remaining)") }
        if isSuperseded { pairs.append("superseded=1") }
        if isPart { pairs.append("part=1") }
        pairs += ["expected=\(expected.text)", "happened=\(happened.text)"]
        return "\(path)?\(pairs.joined(separator: "&"))"
    }

    /// The numbers of the preview beside those of the publication. A pair of zeros is left out.
    var rows: [(name: String, expected: Int, happened: Int)] {
        var rows = PublicationNumbers.names.map { ($0, expected[$0], happened[$0]) }
        if let moved, remaining == 0, !isSuperseded, !isPart {
            rows.insert(("followed", expected["enrolments"], moved), at: 1)
        }
        return rows.filter { $0.1 > 0 || $0.2 > 0 }.map { (name: $0.0, expected: $0.1, happened: $0.2) }
    }

    /// How many of the numbers differ.
    var differences: Int { rows.filter { $0.expected != $0.happened }.count }
}
