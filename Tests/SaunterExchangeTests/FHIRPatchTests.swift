import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct FHIRPatchTests {
    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": 1.0}"#), (#"{"a": 1, "b": 2}"#, #"{"b": 3, "c": {"d": []}}"#),
        (#"{"l": [{"a": 1}, {"b": 2}]}"#, #"{"l": [{"a": 1}, {"b": 3}]}"#),
        (#"{"l": [1]}"#, #"{"l": [1, 2]}"#),
        (
            #"{"extension": [{"url": "a", "v": 1}, {"url": "b"}]}"#,
            #"{"extension": [{"url": "c"}, {"url": "a", "v": 2}, {"url": "c", "v": 1}]}"#
        ),
        (#"{"extension": [{"url": "a"}]}"#, "{}"), (#"{"l": "x"}"#, #"{"l": {"deep": {"er": 1}}}"#),
    ])
    func `a patch turns one value into the other`(from: String, to: String) throws {
        let (made, wanted) = (try JSONReader.read(from), try JSONReader.read(to))
        let patch = FHIRPatch.make(from: made, to: wanted)
        #expect(FHIRPatch.equal(FHIRPatch.apply(patch, to: made), wanted))
        #expect((patch == nil) == FHIRPatch.equal(made, wanted))
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": 2}"#, "/a"), (#"{"l": [{"a/b": 1}, 2]}"#, #"{"l": [{}, 2]}"#, "/l/0/a~1b"),
        (#"{"l": [1]}"#, #"{"l": []}"#, "/l"), ("{}", #"{"n": null}"#, "/n"), ("1", "2", ""),
    ])
    func `the first difference is named`(one: String, other: String, pointer: String) throws {
        let (made, wanted) = (try JSONReader.read(one), try JSONReader.read(other))
        #expect(FHIRPatch.difference(made, wanted) == pointer)
        #expect(FHIRPatch.difference(wanted, wanted) == nil)
    }

    @Test func `for extensions in another order only the order is stored`() {
        let made: JSON = ["extension": [["url": "a", "v": 1], ["url": "b", "v": 2]]]
        let wanted: JSON = ["extension": [["url": "b", "v": 2], ["url": "a", "v": 1]]]
        #expect(FHIRPatch.make(from: made, to: wanted) == ["extension": ["order": ["b", "a"]]])
    }

    @Test func `a removed option does not change the patches of the others`() throws {
        let made: JSON = ["answerOption": [["v": 1], ["v": 2]]]
        let wanted: JSON = ["answerOption": [["v": 1, "x": true], ["v": 2, "y": true]]]
        let patch = FHIRPatch.make(from: made, to: wanted, optionKeys: ["one", "two"])
        let fewer: JSON = ["answerOption": [["v": 2]]]
        #expect(
            FHIRPatch.apply(patch, to: fewer, optionKeys: ["two"]) == ["answerOption": [["v": 2, "y": true]]])
    }
}
