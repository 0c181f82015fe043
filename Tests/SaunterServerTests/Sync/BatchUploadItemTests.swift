import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct BatchUploadItemTests {
    private static let (one, two, three) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)

    private static func sheet(
        _ index: Int, _ id: String = UUID().uuidString, occasion: String? = nil,
        questionnaire: String = "who_5"
    ) -> BatchUploadItem {
        let body: JSON = [
            "questionnaire": .string(questionnaire), "occasion_id": .optional(occasion, JSON.string),
        ]
        return BatchUploadItem(
            index: index, json: ["kind": "answer_sheet", "id": .string(id), "body": body], readerFaults: [])
    }

    private static func concurrentGroups(_ sheets: [BatchUploadItem]) -> [[Int]] {
        BatchUploadItem.concurrentGroups(sheets) { $0 != "any_time" }.map { $0.map(\.index) }
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
