import Foundation
import Testing

@testable import SaunterCore

/// What a participant can begin of the programmes of an edition, and how practices are described.
struct OfferedProgrammesTests {
    private static func study(_ practices: [String]) -> Study {
        var study = Sample.study([])
        study.questionnaires = (practices + ["mood", "rating"]).map { Sample.questionnaire($0) }
        study.anyTime = practices.map { AnyTimeRule(questionnaire: $0, isPractice: true) } + ["mood"]
        return study
    }

    private static func programme(
        _ code: String, _ modules: [String], isWithdrawn: Bool = false
    ) -> Programme {
        Programme(code: code, text: [:], modules: modules, isWithdrawn: isWithdrawn)
    }

    private static let library = Library(programmes: [
        programme("control", ["morning", "news", "mood"]),
        programme("thanks", ["first", "morning"], isWithdrawn: true), programme("later", ["gone"]),
    ])

    @Test func `withdrawn programmes and practices that the version does not have are left out`() {
        let offered = OfferedProgrammes(of: Self.library, in: Self.study(["morning", "first", "free"]))

        #expect(offered.programmes.map { "\($0.code) \($0.modules)" } == ["control [\"morning\"]"])
        let codes = ["control", "thanks", "later", "morning", "first", "free", "news", "mood", "nothing"]
        // `first` is only in a withdrawn programme, and `free` is in none.
        #expect(codes.filter(offered.contains) == ["control", "morning", "free"])
        #expect(OfferedProgrammes(of: nil, in: Self.study(["free"])).contains("free"))
    }

    @Test func `only what is offered is recommended`() {
        var library = Self.library
        library.recommendations = Recommendations(
            table: ["thanks", "later", "first", "news", "control", "morning"])
        let offered = OfferedProgrammes(of: library, in: Self.study(["morning", "first"]))

        let recommended = offered.recommended(in: ExpressionScope(value: { _ in .blank }, today: nil))

        #expect(recommended.map { "\($0.rank) \($0.code)" } == ["1 control", "2 morning"])
    }

    @Test func `stories and inputs are counted, and the first integer or option is the rating`() {
        func item(_ linkId: String, _ type: ItemType, _ change: (inout Item) -> Void = { _ in }) -> Item {
            var item = Item(linkId: linkId, type: type)
            change(&item)
            return item
        }
        var questionnaire = Sample.questionnaire("rating")
        questionnaire.item = [
            item("story", .display), item("secret", .integer) { $0.hidden = true },
            item("group", .group) {
                $0.item = [
                    item("inner", .display), item("why", .text), item("many", .choice) { $0.repeats = true },
                    item("stars", .choice),
                ]
            },
            item("again", .group) {
                $0.repeats = true
                $0.item = [item("years", .integer)]
            },
        ]

        #expect(questionnaire.exercises.stories == 2 && questionnaire.exercises.inputs == 4)
        #expect(questionnaire.ratingItem?.linkId == "stars")
        questionnaire.item.removeFirst(3)
        #expect(questionnaire.ratingItem == nil)
    }

    @Test func `the first schedule that follows every practice and asks for a rating decides`() {
        func schedule(_ id: String, _ anchor: Anchor, asks questionnaire: String) -> Schedule {
            Sample.schedule(
                id, asks: questionnaire, anchor: anchor, repeating: .once,
                slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 60, closeAfter: hour)])
        }
        var study = Self.study(["morning"])
        var rating = Sample.questionnaire("rating")
        rating.item = [Item(linkId: "stars", type: .integer)]
        study.questionnaires = [rating, Sample.questionnaire("mood"), Sample.questionnaire("morning")]
        study.schedules = [
            schedule("list", .completionOfAny(["morning"]), asks: "rating"),
            schedule("words", .completionOfPractice, asks: "mood"),
            schedule("rate", .completionOfPractice, asks: "rating"),
        ]

        #expect(study.ratingSchedule(of: "control")?.id == "rate")
        study.schedules[2].arms = ["experimental"]
        #expect(study.ratingSchedule(of: "control") == nil)
        let sheet = SheetID(UUID())
        func key(_ schedule: String, _ instance: String) -> OccasionKey {
            OccasionKey(schedule: schedule, anchorInstance: instance, dayIndex: 0, slotIndex: 0)
        }
        #expect(study.sheet(followedBy: key("list", sheet.description)) == sheet)
        #expect(study.sheet(followedBy: key("former", sheet.description)) == nil)
        study.schedules[0].anchor = .walk
        #expect(study.sheet(followedBy: key("list", sheet.description)) == nil)
    }
}
