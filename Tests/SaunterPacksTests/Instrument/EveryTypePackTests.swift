import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct EveryTypePackTests {
    private static let folder = "instruments/all_types/1.0.0/"

    private static func files() throws -> PackFiles {
        try PackFiles.load(
            directory: RealPacks.root.deletingLastPathComponent()
                .appending(path: "Tests/Acceptance/packs/all-types/" + folder).path)
    }

    @Test func `a pack with every key is read, its test vectors pass, and its texts reach the clients`()
        throws
    {
        let pack = try InstrumentPack.check(Self.files(), code: "all_types", version: "1.0.0")

        #expect(pack.vectorCount == 2)
        let types = Set(pack.questionnaire.questions.map(\.type))
        #expect(types == Set(ItemType.allCases.filter { $0 != .display }))
        let wire = pack.questionnaire.json(language: "de")
        let items = try #require(wire["item"]?.array)
        func item(_ linkId: String) throws -> JSON {
            try #require(items.first { $0["linkId"]?.string == linkId })
        }
        #expect(
            try item("welcome")["media"]
                == ["type": "image", "source": "media/welcome.png", "alt": "Ein Weg durch einen Garten"])
        let categories = try #require(item("category")["answerOption"]?.array)
        #expect(
            categories[0]["media"]
                == ["type": "image", "source": "media/good.png", "alt": "Ein lächelndes Gesicht"])
        #expect(try item("note")["placeholder"] == "Sonst noch etwas …")
        #expect(try item("spot")["decimals"] == 5 && item("stops")["decimals"] == 2)
        #expect(try item("mood")["help"] == "Nur heute zählt.")
        #expect(
            try item("mood")["anchors"]
                == ["maximum": "sehr gut", "middle": "weder noch", "minimum": "sehr schlecht"])
        #expect(try item("day")["minValue"] == "2020-01-01")
        #expect(try item("lunch")["maxValue"] == "22:00")
        #expect(try item("weight")["unitOption"] == ["kg", "[lb_av]"])
        #expect(try item("grid")["enableWhenExpression"] != nil)
        let emotions = try #require(item("emotions")["answerOption"]?.array)
        #expect(emotions.map { $0["label"]?.string } == ["Freude", "Ruhe", "Wut", "Angst"])
        #expect(
            emotions[2]["enableWhen"] == [["question": "category", "operator": "=", "answer": "bad"]])
        #expect(wire["constraint"]?.array?.first?["human"] == "Man wacht auf, nachdem man eingeschlafen ist.")
    }

    @Test(arguments: [
        Breakage(
            "questionnaire.yaml", "[a-z]+(_[a-z]+)*", "[a-z+",
            "questionnaire.yaml:20: At character 6: a [ has no ]."),
        Breakage(
            "questionnaire.yaml", "\"asleep < awake\"", "\"asleep < awoke\"",
            "questionnaire.yaml:12: At character 10: there is no item awoke."),
        Breakage(
            "questionnaire.yaml", "'anger' in emotions", "'rage' in cups",
            "questionnaire.yaml:54: At character 37: this is a number, but `in` expects a text."),
        Breakage(
            "questionnaire.yaml", "cups > 2 and", "cups > 2 and tired > 1 and", "questionnaire.yaml:54: *"),
        Breakage(
            "questionnaire.yaml", "{by: category, sets: {good: good,", "{by: category, sets: {good: nice,",
            "questionnaire.yaml:33: there is no option set \"nice\""),
        Breakage(
            "questionnaire.yaml", "{by: category, sets: {good: good,", "{by: category, sets: {goood: good,",
            "questionnaire.yaml:33: category has no option \"goood\"; did you mean \"good\"?"),
        Breakage(
            "text.de.yaml", "middle: weder noch, ", "", "text.de.yaml:56: *"),
        Breakage(
            "questionnaire.yaml", "maxValue: 10, itemControl: visual-analogue-scale", "maxValue: 10",
            "text.de.yaml:56: *", "text.en.yaml:56: *"),
        Breakage(
            "text.de.yaml", "  many_doses: Das ist viel. Stimmt es?\n", "", "text.de.yaml:44: *"),
        Breakage("text.de.yaml", "{good: Ein lächelndes Gesicht}", "{}", "text.de.yaml:58: *"),
        Breakage("text.de.yaml", "{good: Ein lächelndes Gesicht}", "{good: a, bad: b}", "text.de.yaml:58: *"),
        Breakage(
            "text.de.yaml", "  note: Sonst noch etwas …", "  lunch: Sonst noch etwas …",
            "text.de.yaml:59: *", "text.de.yaml:60: *"),
        Breakage(
            "questionnaire.yaml", "type: location, decimals: 5", "type: location, decimals: 6",
            "questionnaire.yaml:59: The number of decimal places must be from 0 to 5."),
        Breakage(
            "questionnaire.yaml", "type: location, decimals: 5", "type: location, initial: 5",
            "questionnaire.yaml:59: *"),
        Breakage(
            "questionnaire.yaml", "{type: image, source: media/good.png}",
            "{type: picture, source: media/good.png}",
            "questionnaire.yaml:27: *"),
    ])
    func `a broken value is reported with its line and position`(breakage: Breakage) throws {
        let files = try Self.files().replacing(
            breakage.passage, with: breakage.other, in: Self.folder + breakage.file)

        let found = breakage.found(in: Self.folder) { () throws(PackFaults) in
            _ = try InstrumentPack.check(files, code: "all_types", version: "1.0.0")
        }

        #expect(found == breakage.faults)
    }
}
