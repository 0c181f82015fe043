import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct StudyCovariatesTests {
    private static let folder = "studies/mindful-walking/"

    /// The study with a screening whose cut-off depends on sex, and with a questionnaire that asks for the sex.
    private static func files(_ covariates: String) throws -> PackFiles {
        let study = try RealPacks.study()
        var files = study.files
        for (code, version) in [("audit_c", "1.1.0"), ("about_you", "1.0.0")] {
            let directory = RealPacks.root.appending(path: "instruments/\(code)/\(version)").path
            files.merge(try PackFiles.load(directory: directory).files) { first, _ in first }
        }
        return try PackFiles(files: files)
            .replacing(
                "  - {code: sus, version: 1.0.0}\n",
                with: """
                      - {code: sus, version: 1.0.0}
                      - {code: audit_c, version: 1.1.0}
                      - {code: about_you, version: 1.0.0}
                    any_time: [audit_c, about_you]
                    covariates:
                    \(covariates)

                    """, in: folder + "study.yaml")
    }

    @Test func `the sources of covariates are read`() throws {
        let files = try Self.files(
            "  - {id: sex, questionnaire: about_you, item: sex, codes: {female: female, male: male}}")

        let study = try StudyPack.read(files, study: "mindful-walking").study

        #expect(
            study.covariates == [
                CovariateSource(
                    id: "sex", questionnaire: "about_you", item: "sex",
                    codes: ["female": "female", "male": "male"])
            ])
    }

    @Test(
        arguments: [
            (
                "{id: sex, questionnaire: about_you, item: sex}",
                "A scoring key does not accept the code other for sex."
            ),
            (
                "{id: sex, questionnaire: about_you, item: sex, codes: {female: woman}}",
                "A scoring key does not accept the code woman for sex."
            ),
            (
                "{id: sex, questionnaire: about_you, item: sex, codes: {femal: female}}",
                "sex has no answer femal."
            ),
            ("{id: sex, questionnaire: about_you, item: gender}", "about_you has no item gender."),
            ("{id: sex, questionnaire: about_me, item: sex}", "The study has no questionnaire about_me."),
            (
                "{id: sex, questionnaire: about_you, item: birth_year, as: years_since}",
                "A scoring key needs sex as a code."
            ),
            (
                "{id: sex, questionnaire: about_you, item: sex, as: years_since}",
                "An item of type choice cannot supply a covariate with `as: years_since`."
            ),
            (
                "{id: age, questionnaire: about_you, item: birth_year}",
                "No scoring key of the study uses age."
            ),
        ])
    func `an item that cannot supply a covariate is reported with its line`(origin: String, detail: String)
        throws
    {
        let files = try Self.files("  - \(origin)")

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        let texts = (faults?.list ?? []).map(\.description)
        #expect(
            texts.contains { $0.hasPrefix("studies/mindful-walking/study.yaml:26:") && $0.contains(detail) },
            "\(texts)")
    }

    @Test(
        arguments: [
            ("{id: sex, questionnaire: about_you}", "\"item\" is missing"),
            (
                "{id: sex, questionnaire: about_you, item: sex, as: age}",
                "expected one of value, years_since, found \"age\""
            ),
            ("{id: sex, questionnaire: about_you, item: sex, code: 1}", "did you mean \"codes\"?"),
        ])
    func `an unreadable value is reported with its line`(origin: String, detail: String) throws {
        let files = try Self.files("  - \(origin)")

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        #expect(
            (faults?.list ?? []).map(\.description).contains {
                $0.contains("study.yaml:26:") && $0.contains(detail)
            })
    }

    @Test func `a covariate has only one source`() throws {
        let line = "  - {id: sex, questionnaire: about_you, item: sex, codes: {female: female}}"
        let files = try Self.files(line + "\n" + line)

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        #expect(
            faults?.list.map(\.description) == [
                "studies/mindful-walking/study.yaml:27: Another covariate has this id."
            ])
    }
}
