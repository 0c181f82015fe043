import ArgumentParser
import Console
import SaunterCohort
import SaunterCore
import SaunterWeb

/// Writes random answers with the server's judgement, to compare other judges with the server.
struct FormVectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract:
            "Write random forms with the server's judgement, to test the script that judges them in a browser.",
        discussion: """
            Needs no database. Each line is JSON: the rules of a questionnaire, and cases with the fields of a form, the clock, and \
            what the server says: the shown items, the withheld options and the faults. Half of the lines are about random \
            questionnaires, the others about the questionnaires of the packs; without a pack all are about random ones.

            Example: saunter vectors --cases 20000 --seed 1 Questionnaires/instruments/*/* Questionnaires/studies/*
            """)

    /// The number of forms of one questionnaire in a line.
    private static let casesPerLine = 25

    @Argument(
        help: "Folders of one version of an instrument, or folders of a study for all its instruments.")
    var packs: [String] = []
    @Option(help: "The number of forms, 1 to 10,000,000.") var cases = 1000
    @Option(help: "The same number produces the same forms.") var seed: UInt64 = 1

    func validate() throws {
        guard (1...10_000_000).contains(cases) else {
            throw ValidationError("--cases must be 1 to 10000000")
        }
    }

    func run() throws {
        var known: [String: Questionnaire] = [:]
        for pack in packs {
            for (questionnaire, _) in try PackFolder.instruments(at: pack) {
                known["\(questionnaire.code) \(questionnaire.version)"] = questionnaire
            }
        }
        let questionnaires = known.sorted { $0.key < $1.key }.map(\.value)
        var numbers = SeededNumbers(seed: seed)
        var remaining = cases
        var line = 0
        while remaining > 0 {
            let isFromPack = line % 2 == 1 && !questionnaires.isEmpty
            let questionnaire =
                isFromPack
                ? questionnaires[line / 2 % questionnaires.count]
                : RandomQuestionnaire.make(from: &numbers)
            let count = min(remaining, Self.casesPerLine)
            Terminal.line(Self.line(questionnaire, cases: count, from: &numbers).text)
            remaining -= count
            line += 1
        }
    }

    private static func line(
        _ questionnaire: Questionnaire, cases: Int, from numbers: inout SeededNumbers
    ) -> JSON {
        let judge = FormJudge(questionnaire)
        let forbidden = Set(judge.dataKinds.sorted().filter { _ in numbers.chance(0.3) })
        let list = (0..<cases).map { _ -> JSON in
            let zone = RandomFields.zones.randomElement(using: &numbers) ?? .utc
            let now = RandomFields.instant(in: zone, from: &numbers)
            let fields = RandomFields.fields(of: questionnaire.item, from: &numbers)
            let judgement = judge.judgement(
                of: fields, zone: zone, now: now, forbiddenKinds: forbidden)
            var members: JSONObject = [
                "fields": .object(fields), "zone": .string(zone.id), "now": .string(now.description),
            ]
            for member in judgement.json { members[member.name] = member.value }
            return .object(members)
        }
        return [
            "questionnaire": .string(questionnaire.code), "rules": judge.rules(forbiddenKinds: forbidden),
            "cases": .array(list),
        ]
    }
}

extension FormJudgement {
    /// `{"shown": ["mood"], "withheld": {"emotion": ["calm"]}, "faults": [["mood", null, "required"]], "hidden":
    /// ["meals.0.kcal"]}`, sorted.
    fileprivate var json: JSONObject {
        let withheld = state.excludedOptions.sorted { $0.key < $1.key }.map { linkId, options in
            JSONObject.Member(name: linkId, value: .array(options.sorted().map(JSON.string)))
        }
        let faults = faults.map { fault -> JSON in
            [
                .optional(fault.linkId, JSON.string), .optional(fault.instance, JSON.int),
                .string(fault.code),
            ]
        }
        return [
            "shown": .array(state.shown.sorted().map(JSON.string)),
            "withheld": .object(JSONObject(withheld)),
            "faults": .array(faults.sorted { $0.text < $1.text }),
            "hidden": .array(state.hiddenInInstances.sorted().map(JSON.string)),
        ]
    }
}
