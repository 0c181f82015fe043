import SaunterCore

/// A practice as editors see it: a questionnaire that participants can answer at any time, with its exercises in order.
/// The files of a draft can have faults, so nothing is checked.
package struct Practice: Sendable, Hashable {
    /// One page of a practice.
    package struct Exercise: Sendable, Hashable {
        /// What a participant does.
        package enum Kind: String, Sendable, CaseIterable {
            /// Reads a text.
            case story
            /// Writes a text.
            case input
            /// Answers another type of question. Editors change its words; its definition stays.
            case other
        }

        package var linkID: String
        package var kind: Kind
        /// The type of the item, such as `choice`.
        package var type: String
        /// Language -> what a participant reads.
        package var text: [String: String]
        /// Language -> what the empty field of an input shows.
        package var placeholder: [String: String]
        /// The picture, sound or film. Its source is a path in the folder of the questionnaire, such as
        /// `media/tree.png`, or an address elsewhere.
        package var media: Media?
        /// Language -> the words for participants who do not see or hear it.
        package var mediaText: [String: String]
        /// The link ids and words of the items in a group.
        package var parts: [Part]

        package init(
            linkID: String, kind: Kind, type: String, text: [String: String] = [:],
            placeholder: [String: String] = [:], media: Media? = nil,
            mediaText: [String: String] = [:], parts: [Part] = []
        ) {
            self.linkID = linkID
            self.kind = kind
            self.type = type
            self.text = text
            self.placeholder = placeholder
            self.media = media
            self.mediaText = mediaText
            self.parts = parts
        }
    }

    /// An item in a group.
    package struct Part: Sendable, Hashable {
        package var linkID: String
        package var text: [String: String]

        package init(linkID: String, text: [String: String]) {
            self.linkID = linkID
            self.text = text
        }
    }

    package var code: String
    /// The version in the draft.
    package var version: String
    /// Language -> title.
    package var title: [String: String]
    /// Language -> the subject, which the questionnaire has as its description.
    package var topic: [String: String]
    package var minutes: Double
    /// The code of the entitlement that a participant needs; nil for none.
    package var entitlement: String?
    package var exercises: [Exercise]

    package init(
        code: String, version: String = "1.0.0", title: [String: String] = [:], topic: [String: String] = [:],
        minutes: Double = 1, entitlement: String? = nil, exercises: [Exercise] = []
    ) {
        self.code = code
        self.version = version
        self.title = title
        self.topic = topic
        self.minutes = minutes
        self.entitlement = entitlement
        self.exercises = exercises
    }
}
