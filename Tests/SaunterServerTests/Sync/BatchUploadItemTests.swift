import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct BatchUploadItemTests {
    private static let (one, two, three) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)

    private static func sheet(
        _ index: Int, _ id: String = UUID().uuidString, occasion: String? = nil,
        questionnaire: String = "who_5", about referred: String? = nil
    ) -> BatchUploadItem {
        let body: JSON = [
            "questionnaire": .string(questionnaire), "occasion_id": .optional(occasion, JSON.string),
            "refers_to": .optional(referred, JSON.string),
        ]
        return BatchUploadItem(
            index: index, json: ["kind": "answer_sheet", "id": .string(id), "body": body], readerFaults: [])
    }

    private static func concurrentGroups(_ sheets: [BatchUploadItem]) -> [[Int]] {
        BatchUploadItem.concurrentGroups(sheets) { questionnaire in
            switch questionnaire {
            case "any_time": .independent
            case "limited": .all
            default: .withoutOccasion
            }
        }.map { $0.map(\.index) }
    }

    @Test func `sheets for different occasions form one group`() {
        #expect(
            Self.concurrentGroups([Self.sheet(0, occasion: Self.one), Self.sheet(1, occasion: Self.two)]) == [
                [0, 1]
            ])
        #expect(Self.concurrentGroups([]) == [])
    }

    @Test func `sheets for one occasion are in consecutive groups`() {
        #expect(
            Self.concurrentGroups([
                Self.sheet(0, occasion: Self.one), Self.sheet(1, occasion: Self.one.lowercased()),
                Self.sheet(2, occasion: Self.two), Self.sheet(3, occasion: Self.one),
            ]) == [[0, 2], [1], [3]])
    }

    @Test func `sheets with the same id are in consecutive groups`() {
        #expect(
            Self.concurrentGroups([
                Self.sheet(0, Self.one), Self.sheet(1, Self.one.lowercased(), occasion: Self.two),
            ])
                == [[0], [1]])
    }

    @Test
    func `sheets that name no occasion are in consecutive groups only if the questionnaire is scheduled`() {
        #expect(Self.concurrentGroups([Self.sheet(0), Self.sheet(1), Self.sheet(2)]) == [[0], [1], [2]])
        #expect(
            Self.concurrentGroups((0..<3).map { Self.sheet($0, questionnaire: "any_time") }) == [[0, 1, 2]])
    }

    @Test func `sheets of a questionnaire with a daily maximum are in consecutive groups`() {
        #expect(
            Self.concurrentGroups([
                Self.sheet(0, questionnaire: "limited"),
                Self.sheet(1, occasion: Self.one, questionnaire: "limited"),
                Self.sheet(2, questionnaire: "any_time"),
            ]) == [[0, 2], [1]])
    }

    @Test func `a sheet is in a later group than the sheet to which it refers, in any order of the upload`() {
        let end = Self.sheet(0, Self.three, questionnaire: "any_time", about: Self.two)
        let tick = Self.sheet(1, Self.two, questionnaire: "any_time", about: Self.one.lowercased())
        let entry = Self.sheet(2, Self.one, questionnaire: "any_time")

        #expect(Self.concurrentGroups([end, tick, entry]) == [[2], [1], [0]])
        #expect(Self.concurrentGroups([end, tick]) == [[1], [0]])
    }

    @Test func `sheets about the same sheet are in consecutive groups`() {
        #expect(
            Self.concurrentGroups([
                Self.sheet(0, questionnaire: "any_time", about: Self.one),
                Self.sheet(1, questionnaire: "any_time", about: Self.one),
                Self.sheet(2, questionnaire: "any_time", about: Self.two),
            ]) == [[0, 2], [1]])
    }

    @Test func `sheets that refer to each other in a circle are uploaded all the same`() {
        let sheets = [
            Self.sheet(0, Self.one, questionnaire: "any_time", about: Self.two),
            Self.sheet(1, Self.two, questionnaire: "any_time", about: Self.one),
            Self.sheet(2, Self.three, questionnaire: "any_time", about: Self.three),
        ]

        #expect(Set(Self.concurrentGroups(sheets).joined()) == [0, 1, 2])
    }

    @Test func `the pointers of an item's faults are relative to the item`() {
        let item = BatchUploadItem(
            index: 7, json: ["kind": "wish", "id": "x"],
            readerFaults: [Fault(pointer: "/items/7/body/x", code: "duplicate_member", detail: "")])
        #expect(item.kind == nil)
        #expect(Set(item.faults.map(\.pointer)) == ["/body/x", "/kind", "/id", "/body"])
    }

    @Test(
        arguments: [
            (0, nil), (1, 1), (9_007_199_254_740_991, 9_007_199_254_740_991), (9_007_199_254_740_992, nil),
        ] as [(Int, Int64?)])
    func `a sequence number is accepted from 1 to 2^53 - 1`(number: Int, accepted: Int64?) throws {
        let text = #"{"kind": "usage_event", "id": "\#(Self.one)", "body": {}, "sequence": \#(number)}"#
        let item = BatchUploadItem(index: 0, line: try JSONReader.read(text), readerFaults: [])

        #expect(item.sequence == accepted)
        #expect(item.faults.isEmpty == (accepted != nil))
    }
}
