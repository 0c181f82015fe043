import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct OutboxItemTests {
    private static let (one, two, three) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)

    private static func sheet(
        _ place: Int, _ id: String = UUID().uuidString, occasion: String? = nil,
        questionnaire: String = "who_5"
    ) -> OutboxItem {
        let body: JSON = [
            "questionnaire": .string(questionnaire), "occasion_id": .optional(occasion, JSON.string),
        ]
        return OutboxItem(
            place: place, json: ["kind": "answer_sheet", "id": .string(id), "body": body], refused: [])
    }

    private static func waves(_ sheets: [OutboxItem]) -> [[Int]] {
        OutboxItem.waves(sheets) { $0 != "any_time" }.map { $0.map(\.place) }
    }

    @Test func `sheets for different occasions are one wave`() {
        #expect(
            Self.waves([Self.sheet(0, occasion: Self.one), Self.sheet(1, occasion: Self.two)]) == [[0, 1]])
        #expect(Self.waves([]) == [])
    }

    @Test func `of several for one occasion each waits for the one before it`() {
        #expect(
            Self.waves([
                Self.sheet(0, occasion: Self.one), Self.sheet(1, occasion: Self.one.lowercased()),
                Self.sheet(2, occasion: Self.two), Self.sheet(3, occasion: Self.one),
            ]) == [[0, 2], [1], [3]])
    }

    @Test func `one id twice is handed in one after the other`() {
        #expect(
            Self.waves([Self.sheet(0, Self.one), Self.sheet(1, Self.one.lowercased(), occasion: Self.two)])
                == [[0], [1]])
    }

    @Test func `sheets that name no occasion wait for each other only where one is found for them`() {
        #expect(Self.waves([Self.sheet(0), Self.sheet(1), Self.sheet(2)]) == [[0], [1], [2]])
        #expect(
            Self.waves((0..<3).map { Self.sheet($0, questionnaire: "any_time") }) == [[0, 1, 2]])
    }

    @Test func `the faults of an item stand at their places in it`() {
        let item = OutboxItem(
            place: 7, json: ["kind": "wish", "id": "x"],
            refused: [Fault(pointer: "/items/7/body/x", code: "duplicate_member", detail: "")])
        #expect(item.kind == nil)
        #expect(Set(item.faults.map(\.pointer)) == ["/body/x", "/kind", "/id", "/body"])
    }

    @Test(
        arguments: [
            (0, nil), (1, 1), (9_007_199_254_740_991, 9_007_199_254_740_991), (9_007_199_254_740_992, nil),
        ] as [(Int, Int64?)])
    func `a number is taken as far as every reader of JSON tells whole numbers apart`(
        number: Int, taken: Int64?
    ) throws {
        let text = #"{"kind": "usage_event", "id": "\#(Self.one)", "body": {}, "sequence": \#(number)}"#
        let item = OutboxItem(place: 0, line: try JSONReader.read(text), refused: [])

        #expect(item.sequence == taken)
        #expect(item.faults.isEmpty == (taken != nil))
    }
}
