import Testing

@testable import SaunterServer

/// What a draft takes over from a newer edition of the library.
@Suite struct DraftLibraryTests {
    @Test func `a file that only one side changed is that of this side, and a file that both changed stays`()
    {
        let library = DraftLibrary(
            base: [
                "same": "1", "theirs": "1", "mine": "1", "both": "1", "equal": "1", "gone": "1", "kept": "1",
            ],
            draft: [
                "same": "1", "theirs": "1", "mine": "2", "both": "2", "equal": "2", "gone": "1", "kept": "2",
                "new": "mine",
            ],
            live: [
                "same": "1", "theirs": "3", "mine": "1", "both": "3", "equal": "2", "added": "3",
                "new": "theirs",
            ])

        #expect(
            library.files == [
                "same": "1", "theirs": "3", "mine": "2", "both": "2", "equal": "2", "kept": "2", "added": "3",
                "new": "mine",
            ])
        #expect(library.takenOver == ["added", "gone", "theirs"])
        #expect(library.kept == ["both", "kept", "new"])
    }

    @Test func `a file that the draft removed stays removed`() {
        let library = DraftLibrary(
            base: ["mine": "1", "both": "1"], draft: [:], live: ["mine": "1", "both": "2"])

        #expect(library.files.isEmpty && library.takenOver.isEmpty)
        #expect(library.kept == ["both"])
    }
}
