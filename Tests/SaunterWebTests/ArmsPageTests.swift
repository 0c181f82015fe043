import SaunterCore
import SaunterFigures
import Testing

@testable import SaunterWeb

/// The arms of a study in words.
@Suite struct ArmsPageTests {
    private static let now = Instant("2026-11-21T17:30:00.000Z") ?? .minimum

    private static func row(_ counts: [(String, Int)], _ more: JSONObject = [:]) -> JSON {
        var object: JSONObject = [
            "participants": .int(counts.reduce(0) { $0 + $1.1 }),
            "arms": .array(counts.map { ["arm": .string($0.0), "participants": .int($0.1)] }),
            "imbalance": 0.5,
        ]
        for member in more { object[member.name] = member.value }
        return .object(object)
    }

    private static func view(
        _ counts: [(String, Int)], levels: [JSON] = [], isBlinded: Bool = false, unblindings: [JSON] = [],
        differences: JSON = .null, imbalance: JSON = 0.5, language: String = "en"
    ) throws -> StudyArmsView {
        let balance = row(
            counts,
            [
                "method": "minimisation", "levels": .array(levels), "strata": [],
                "moved": [["from_arm": "walk", "to_arm": "rest", "participants": 2]],
                "differences": differences, "imbalance": imbalance,
            ])
        let words = try Words(WebFiles(folder: nil)).language(accepting: language)
        return StudyArmsView(
            listed: StaffStudyView(["study": "walks"], words), isBlinded: isBlinded, seesArms: !isBlinded,
            balance: balance, unblindings: unblindings, now: now, words
        )
    }

    @Test func `the table has each arm of each group, and its sums are the participants`() throws {
        let level = Self.row([("walk", 2), ("rest", 1)], ["factor": "age", "level": "old"])
        let view = try Self.view([("walk", 4), ("rest", 3)], levels: [level])
        let lines = String(decoding: view.table.csv.dropFirst(3), as: UTF8.self).split(separator: "\n")

        #expect(
            lines == [
                "Divided by,Group,Arm,Participants,Imbalance", "All participants,,walk,4,0.5",
                "All participants,,rest,3,0.5", "age,old,walk,2,0.5", "age,old,rest,1,0.5",
            ])
        let figure = try #require(view.figure)
        let svg = try #require(figure["svg"] as? String)
        for text in ["<title>walk: 4</title>", "<title>rest: 1</title>", ">age: old</text>"] {
            #expect(svg.contains(text), "\(text)")
        }
        #expect((figure["finding"] as? String)?.hasPrefix("walk 4, rest 3.") == true)
        #expect(view.moved == ["walk → rest: 2"])
    }

    @Test func `counts that would show arms are left out of the figure and of the table`() throws {
        let view = try Self.view([], isBlinded: true)

        #expect(view.hidesCounts && view.figure == nil && view.state == "blinded")
        #expect(
            String(decoding: view.table.csv.dropFirst(3), as: UTF8.self).hasSuffix(
                "All participants,,,0,0.5\n"))
    }

    @Test func `the finding has the plural of its number`() throws {
        func finding(_ imbalance: JSON) throws -> String {
            let figure = try #require(try Self.view([("walk", 4), ("rest", 2)], imbalance: imbalance).figure)
            return try #require(figure["finding"] as? String)
        }

        #expect(try finding(1).hasSuffix(" is 1 participant."))
        #expect(try finding(0.5).hasSuffix(" is 0.5 participants."))
        #expect(try finding(0).hasSuffix(" is 0 participants."))
    }

    /// Two questionnaires and a rule that only the arm `walk` has.
    private static func differences(isNamed: Bool, unequal: Bool = false) -> JSON {
        func kind(_ name: String, _ codes: [String]) -> JSON {
            [
                "kind": .string(name), "count": .int(codes.count),
                "parts": .array((isNamed ? codes : []).map { ["code": .string($0), "arms": ["walk"]] }),
            ]
        }
        return [
            "unequal_ratios": .bool(unequal),
            "kinds": [kind("questionnaire", ["steps", "scan"]), kind("rule", ["praise"])],
        ]
    }

    @Test func `a blinded visitor gets the number of differences, and others their names`() throws {
        let blinded = try Self.view(
            [("A", 1)], isBlinded: true, differences: Self.differences(isNamed: false))
        let seeing = try Self.view([("walk", 1)], differences: Self.differences(isNamed: true, unequal: true))
        let german = try Self.view(
            [("A", 1)], isBlinded: true, differences: Self.differences(isNamed: false), language: "de")
        let equal = try Self.view(
            [("A", 1)], isBlinded: true, differences: ["unequal_ratios": false, "kinds": []])

        #expect(blinded.differences == ["Not the same in all arms: 2 questionnaires, 1 rule."])
        #expect(
            Array(seeing.differences.dropFirst().dropLast()) == [
                "Questionnaire steps: only walk", "Questionnaire scan: only walk",
                "Rule praise: only walk, or with other content",
            ])
        #expect(seeing.differences.last?.hasPrefix("The arms have different sizes by design") == true)
        #expect(german.differences == ["Nicht in allen Armen gleich: 2 Fragebögen, 1 Regel."])
        #expect(equal.differences == ["All arms have the same questionnaires, schedules, rules and content."])
    }

    @Test func `an unblinding names who did it, or that the account left the team`() throws {
        let view = try Self.view(
            [("A", 1)], isBlinded: true,
            unblindings: [
                [
                    "participant_id": "P7", "reason": nil, "unblinded_by_name": "Rosa Field",
                    "unblinded_at": "2026-11-21T17:30:00.000Z",
                ],
                ["participant_id": nil, "reason": "The end.", "unblinded_by_name": nil],
            ])
        let texts = view.unblindings.map { entry in
            ["what", "who", "reason"].compactMap { entry[$0] as? String }
        }

        #expect(texts[0] == ["Read the arm of P7", "Rosa Field", "hidden"])
        #expect(texts[1] == ["Showed all arms to the team", "A former member of the team", "The end."])
    }

    @Test func `bars without a heading are drawn as before, and a heading is a text above them`() {
        func plot(_ name: String?) -> String {
            BarPlot.text(
                [.init(name: name, bars: [.init(label: "A & B", value: 2), .init(label: "C", value: nil)])],
                title: "Counts"
            ) { String(Int($0)) }
        }

        #expect(plot(nil).contains("viewBox=\"0 0 360 76\"") && plot(nil).contains("A &amp; B: 2"))
        #expect(plot("All").contains("viewBox=\"0 0 360 102\"") && plot("All").contains(">All</text>"))
        #expect(plot("All").matches(of: /<rect\b/).count == 1)
    }
}
