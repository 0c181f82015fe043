import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The keys `entitlements` and `entitlement` of `study.yaml`, their texts, and locked items of the library.
@Suite struct EntitlementParserTests {
    private static let folder = "studies/paid-practices/"

    private static func files() throws -> PackFiles {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Acceptance/packs/paid-practices").standardizedFileURL
        return try PackFiles.load(directory: root.appending(path: folder).path)
    }

    @Test func `entitlements, plans and locked practices are read with their texts`() throws {
        let study = try StudyPack.read(try Self.files(), study: "paid-practices").study

        #expect(
            study.entitlements == [
                Entitlement(
                    code: "premium",
                    plans: [
                        Plan(code: "monthly", appStoreProduct: "calm.premium.month"),
                        Plan(code: "yearly", appStoreProduct: "calm.premium.year"),
                    ]),
                Entitlement(code: "retreat"),
            ])
        #expect(study.anyTime.map(\.entitlement) == [nil, "premium", "retreat"])
        #expect(study.text["de"]?.entitlements == ["premium": "Premium", "retreat": "Klausur"])
        #expect(
            study.text["en"]?.plans["yearly"]
                == PlanText(
                    title: "Premium by the year", text: "All premium practices, for less.", period: "per year"
                ))
    }

    @Test func `items of the library name their entitlements`() throws {
        let files = try Self.files()
        let study = try StudyPack.read(files, study: "paid-practices").study

        let library = try LibraryParser.read(files, of: study)

        #expect(
            library.collection("sayings")?.items.map(\.entitlement) == [nil, "premium", "premium", "retreat"])
    }

    @Test(arguments: [
        ("study.yaml", "  - retreat\n", "  - {plans: []}\n", "\"code\" is missing"),
        (
            "study.yaml", "app_store: calm.premium.month", "play_store: a",
            "\"play_store\" is not a key of a plan"
        ),
        ("content/text.en.yaml", "period: per month", "price: 3", "\"price\" is not a key of a plan's texts"),
        (
            "library/sayings.yaml", "entitlement: retreat", "entitlement: gold",
            "locked_three: the study has no entitlement gold"
        ),
        (
            "library/sayings.yaml", "select: {daily: {per: person}, draw: true, list: true}",
            "visible: anyone",
            "the item locked_one names an entitlement, but the collection is the same for everyone"
        ),
    ])
    func `a fault is reported with its file`(
        file: String, text: String, replacement: String, expected: String
    ) throws {
        let path = Self.folder + file
        let files = try Self.files().replacing(text, with: replacement, in: path)

        let faults = #expect(throws: PackFaults.self) {
            _ = try StudyPack.read(files, study: "paid-practices")
        }

        #expect(faults?.list.contains { $0.file == path && $0.message.contains(expected) } == true)
    }
}
