import SaunterCore
import Testing

@testable import SaunterPacks

/// The key `accounts` of `study.yaml`.
@Suite struct AccountParserTests {
    private static let folder = "studies/mindful-walking/"
    private static let line = "consent_version: 1.0.0\n"

    /// The study with this line in `study.yaml`, and the faults of the pack.
    private func read(_ accounts: String) throws -> (study: Study?, faults: [String]) {
        let pack = try RealPacks.study().replacing(
            Self.line, with: Self.line + accounts + "\n", in: Self.folder + "study.yaml")
        var parser = StudyParser(files: pack, folder: Self.folder)
        let study = parser.study(code: "mindful-walking", skipsRules: false)
        return (study, parser.faults.map(\.message))
    }

    @Test func `without the key only registered accounts may enrol`() throws {
        let study = try read("").study

        #expect(study?.accounts == AccountPolicy(kinds: [.registered], anonymousKeptDays: nil))
    }

    @Test func `the kinds and the time are read`() throws {
        let found = try read("accounts: {kinds: [anonymous, registered], anonymous_kept_for: 400d}")

        #expect(found.faults == [])
        #expect(
            found.study?.accounts
                == AccountPolicy(kinds: [.anonymous, .registered], anonymousKeptDays: 400))
    }

    @Test func `a study says that it shows contact data`() throws {
        let shown = try read("accounts: {kinds: [registered], contact: true}")
        let hidden = try read("accounts: {kinds: [registered], contact: false}")

        #expect(shown.faults == [] && hidden.faults == [])
        #expect(shown.study?.accounts == AccountPolicy(showsContact: true))
        #expect(hidden.study?.accounts == AccountPolicy())
    }

    @Test(arguments: [
        ("accounts: {kinds: []}", "kinds must be at least one kind"),
        ("accounts: {kinds: [anonymous, anonymous]}", "without duplicates"),
        ("accounts: {kinds: [federated]}", "expected one of anonymous, registered"),
        ("accounts: {kinds: [anonymous], anonymous_kept_for: 36h}", "whole days"),
        ("accounts: {kinds: [anonymous], anonymous_kept_for: 0d}", "1 to 3660 days"),
        ("accounts: {kinds: [registered], anonymous_kept_for: 30d}", "admits no anonymous accounts"),
        ("accounts: {anonymous_kept_for: 30d}", "kinds"),
    ])
    func `a fault is reported once`(accounts: String, message: String) throws {
        let faults = try read(accounts).faults

        #expect(faults.count == 1 && faults[0].contains(message), "\(faults)")
    }
}
