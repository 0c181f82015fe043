import Foundation
import SaunterCore

/// The response of `GET …/draft/programmes`, and changes of it for a PUT request.
struct DraftJourneys {
    /// The name of the values of a journey in forms.
    static let file = "journey"
    /// The texts by language, in the order of the page.
    static let texts = ["title", "subtitle", "introduction"]

    let revision: Int
    let languages: [String]
    /// The journeys in order.
    private(set) var journeys: [JSONObject]
    /// The practices that journeys can contain, with their titles by language.
    let practices: [(code: String, title: JSON)]
    let removed: [String]
    let isOrderChanged: Bool
    private let states: JSON

    init(_ json: JSON) {
        revision = json["revision"]?.int ?? 0
        languages = (json["languages"]?.array ?? []).compactMap(\.string)
        journeys = (json["programmes"]?.array ?? []).compactMap(\.object)
        practices = (json["practices"]?.array ?? []).map { ($0["code"]?.string ?? "", $0["title"] ?? .null) }
        removed = (json["removed"]?.array ?? []).compactMap(\.string)
        isOrderChanged = json["order_changed"]?.bool ?? false
        states = json["states"] ?? .null
    }

    /// The body of the PUT request.
    var body: JSON { ["programmes": .array(journeys.map(JSON.object))] }

    var codes: [String] { journeys.compactMap { $0["code"]?.string } }

    func journey(_ code: String) -> JSONObject? { journeys.first { $0["code"]?.string == code } }

    /// `added`, `changed` or `same`, compared with the published library.
    func state(of code: String) -> String { states[code]?.string ?? "added" }

    /// The text of the visitor's language; otherwise that of the first language that has one.
    static func text(_ texts: JSON?, in language: String, of languages: [String]) -> String? {
        ([language] + languages).lazy.compactMap { texts?[$0]?.string }.first
            ?? texts?.object?.lazy.compactMap { $0.value.string }.first
    }

    func title(of code: String, in language: String) -> String {
        Self.text(journey(code)?["title"], in: language, of: languages) ?? code
    }

    func title(ofPractice code: String, in language: String) -> String {
        let found = practices.first { $0.code == code }
        return Self.text(found?.title, in: language, of: languages) ?? code
    }

    static func modules(of journey: JSONObject) -> [String] {
        (journey["modules"]?.array ?? []).compactMap(\.string)
    }

    // MARK: - Values of a form

    /// The words and the authors of a journey, as a form shows them.
    func values(of code: String) -> [DraftValue] {
        guard let journey = journey(code) else { return [] }
        let words = Self.texts.flatMap { name in
            languages.map { language in
                DraftValue(
                    file: Self.file, pointer: "/\(name)/\(language)",
                    text: journey[name]?[language]?.string ?? "")
            }
        }
        let authors = (journey["authors"]?.array ?? []).compactMap(\.string).joined(separator: "\n")
        return words + [DraftValue(file: Self.file, pointer: "/authors", text: authors)]
    }

    /// Sets values that were typed.
    mutating func set(_ changes: [(value: DraftValue, typed: String)], of code: String) {
        change(code) { journey in
            for change in changes {
                let steps = change.value.pointer.split(separator: "/").map(String.init)
                if steps == ["authors"] {
                    let names = change.typed.split(whereSeparator: \.isNewline)
                        .map { $0.trimmingWhitespace }.filter { !$0.isEmpty }
                    journey["authors"] = .array(names.map(JSON.string))
                } else if steps.count == 2 {
                    var texts = journey[steps[0]]?.object ?? [:]
                    texts[steps[1]] = change.typed.allSatisfy(\.isWhitespace) ? nil : .string(change.typed)
                    journey[steps[0]] = .object(texts)
                }
            }
        }
    }

    // MARK: - Changes

    /// - Returns: false if there is no such journey.
    @discardableResult
    mutating func change(_ code: String, _ change: (inout JSONObject) -> Void) -> Bool {
        guard let index = journeys.firstIndex(where: { $0["code"]?.string == code }) else { return false }
        change(&journeys[index])
        return true
    }

    mutating func add(_ code: String, title: [String: String]) {
        journeys.append([
            "code": .string(code),
            "title": .object(
                JSONObject(
                    title.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })),
            "modules": [],
        ])
    }

    mutating func remove(_ code: String) { journeys.removeAll { $0["code"]?.string == code } }

    mutating func move(_ code: String, by step: Int) {
        guard let index = journeys.firstIndex(where: { $0["code"]?.string == code }) else { return }
        journeys.move(index, by: step)
    }

    /// Changes the list of practices of a journey.
    mutating func changeModules(of code: String, _ change: (inout [String]) -> Void) {
        self.change(code) { journey in
            var modules = Self.modules(of: journey)
            change(&modules)
            journey["modules"] = .array(modules.map(JSON.string))
        }
    }
}

/// What a button of a form does: a word, and for some words the code of the part that it changes.
struct FormAction: Equatable {
    let name: String
    let code: String

    /// The part that was moved, so that the page shows it again; empty after other actions.
    var anchor: String { ["up", "down"].contains(name) ? "#at-\(code)" : "" }

    /// - Parameter text: `up:control`, or `save`. Another key than a button sends an empty text.
    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        name = parts.first ?? "save"
        code = parts.count > 1 ? parts[1] : ""
    }
}

extension Array {
    /// Exchanges an element with its neighbour. At the ends of the array nothing changes.
    /// - Parameter step: -1 for the one before, 1 for the one after.
    mutating func move(_ index: Int, by step: Int) {
        guard indices.contains(index), indices.contains(index + step) else { return }
        swapAt(index, index + step)
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmingWhitespace: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}

/// Codes that are made from titles.
enum CodeFromTitle {
    /// The most characters of a code.
    private static let maximumLength = 24

    /// A code of a-z, 0-9 and `_` that begins with a letter and differs from all others.
    /// - Parameters:
    ///   - title: in any language. Letters with marks lose them.
    ///   - fallback: if no letter or digit of the title is left.
    static func code(_ title: String, besides taken: Set<String>, fallback: String) -> String {
        let plain = title.lowercased().replacing("ß", with: "ss")
            .replacing("ä", with: "ae").replacing("ö", with: "oe").replacing("ü", with: "ue")
        let scalars = plain.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            !$0.properties.isDiacritic && $0.properties.generalCategory != .nonspacingMark
        }
        let words = String(String.UnicodeScalarView(scalars)).split { character in
            !(character.isASCII && (character.isLetter || character.isNumber))
        }
        var code = words.joined(separator: "_")
        if code.first?.isLetter != true { code = code.isEmpty ? fallback : "\(fallback)_\(code)" }
        code = shortened(code, to: maximumLength)
        var number = 2
        var result = code
        while taken.contains(result) {
            let suffix = "_\(number)"
            result = shortened(code, to: maximumLength - suffix.count) + suffix
            number += 1
        }
        return result
    }

    private static func shortened(_ code: String, to length: Int) -> String {
        var code = code.prefix(length)
        while code.last == "_" { code = code.dropLast() }
        return String(code)
    }
}
