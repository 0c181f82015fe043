import Testing

@testable import SaunterCore

@Suite struct StudyBlindingTests {
    private static let codes = ["experimental", "control"]

    /// A study whose schedule, feedback and texts name arms.
    private static func study() throws -> Study {
        var daily = try Sample.schedule(slots: [Sample.slot("18:00", due: 3600, close: 7200)])
        daily.arms = ["experimental"]
        var study = Sample.study([daily])
        study.walking?.targetFeedbackArms = ["experimental", "control"]
        study.text["en"]?.arms = ["experimental": TitledText(title: "Slow walks", text: "You walk slowly.")]
        return study
    }

    @Test(arguments: 0..<8 as Range<UInt8>)
    func `no part of a blinded study names a code or a title of an arm`(secret: UInt8) throws {
        let names = ArmNames(blinding: Self.codes, of: "sample", secret: [secret])
        let study = try Self.study()

        let blinded = study.blinded(by: names)

        #expect(blinded.arms.map(\.code) == ["A", "B"])
        #expect(blinded.schedules[0].arms == [names["experimental"]])
        #expect(blinded.walking?.targetFeedbackArms == ["A", "B"])
        let text = String(reflecting: blinded)
        #expect(String(reflecting: study).contains("experimental"))
        #expect(
            !text.contains("experimental") && !text.contains("\"control\"") && !text.contains("Slow walks"))
    }

    @Test func `a schedule is for the same participants under codes and under letters`() throws {
        let names = ArmNames(blinding: Self.codes, of: "sample", secret: [1])
        let study = try Self.study()

        let blinded = study.blinded(by: names)

        for code in Self.codes {
            #expect(
                study.schedules[0].applies(to: code) == blinded.schedules[0].applies(to: names[code]))
        }
    }

    @Test func `the balance of letters has the same numbers`() throws {
        let names = ArmNames(blinding: Self.codes, of: "sample", secret: [3])
        let study = try Self.study()
        let counts = [("experimental", 5), ("control", 3)].map {
            AllocationCount(arm: $0, stratum: "", levels: FactorLevels([]), participants: $1)
        }

        let open = AllocationBalance(study, counts)
        let blinded = AllocationBalance(
            study.blinded(by: names), counts.compactMap { $0.blinded(by: names) })

        #expect(blinded.arms == ["A", "B"] && open.all.imbalance == blinded.all.imbalance)
        for (code, participants) in [("experimental", 5), ("control", 3)] {
            let position = try #require(blinded.arms.firstIndex(of: names[code] ?? ""))
            #expect(blinded.all.counts[position] == participants)
        }
        let move = AllocationBalance.Move(from: "experimental", to: "control", participants: 2)
        #expect(move.blinded(by: names)?.from == names["experimental"])
        #expect(
            AllocationBalance.Move(from: "other", to: "control", participants: 1).blinded(by: names) == nil)
    }

    @Test func `ratios are unequal if one arm is larger`() throws {
        var study = try Self.study()
        #expect(!study.hasUnequalRatios)

        study.arms[0].ratio = 2

        #expect(study.hasUnequalRatios)
    }

    @Test func `a later version does not end the blinding, and all versions give arms`() throws {
        var first = try Self.study()
        first.allocation.isBlinded = true
        var second = try Self.study()
        second.arms = [Arm(code: "control", ratio: 1), Arm(code: "waiting", ratio: 1)]

        #expect(StudyArms([first, second], live: "2.0.0").isBlinded)
        #expect(StudyArms([first, second], live: "2.0.0").codes == ["control", "experimental", "waiting"])
        #expect(!StudyArms([second], live: "2.0.0").isBlinded)
    }

    @Test func `a study that had walks in some version has walks`() throws {
        let first = try Self.study()
        var second = first
        second.walking = nil

        #expect(StudyArms([first, second], live: "2.0.0").hasWalks)
        #expect(!StudyArms([second], live: "2.0.0").hasWalks)
    }
}
