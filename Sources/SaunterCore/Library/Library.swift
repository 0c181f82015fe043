import Crypto
import Foundation

/// The content library of a study: what participants are shown besides questionnaires, such as quotes, tips, contacts
/// and recordings, and the programmes that bind questionnaires together. One edition of it is immutable. Editions are
/// independent of study versions.
package struct Library: Sendable, Hashable {
    /// In the order of their codes.
    package var collections: [ContentCollection]
    /// In the order of the pack, with those that were withdrawn.
    package var programmes: [Programme]
    /// Nil if nothing is recommended.
    package var recommendations: Recommendations?

    /// Creates a library; by default an empty one.
    package init(
        collections: [ContentCollection] = [], programmes: [Programme] = [],
        recommendations: Recommendations? = nil
    ) {
        self.collections = collections
        self.programmes = programmes
        self.recommendations = recommendations
    }

    /// The programme with this code, also if it was withdrawn; nil if there is none.
    package func programme(_ code: String) -> Programme? {
        programmes.first { $0.code == code }
    }

    /// The collection with this code; nil if there is none.
    package func collection(_ code: String) -> ContentCollection? {
        collections.first { $0.code == code }
    }

    /// Whether an item needs an entitlement.
    package var hasLocks: Bool { collections.flatMap(\.items).contains { $0.entitlement != nil } }

    /// Whether a programme, or an item that a participant with these entitlements may read, has this media file; nil if
    /// nothing has it.
    package func isOpen(media digest: String, for entitlements: Set<String>) -> Bool? {
        if programmes.contains(where: { $0.picture?.digest == digest }) { return true }
        let owners = collections.flatMap(\.items).filter { $0.media.contains { $0.digest == digest } }
        return owners.isEmpty ? nil : owners.contains { !$0.isLocked(for: entitlements) }
    }

    /// The media files of all items and programmes, each once.
    package var media: [ContentMedia] {
        var seen: Set<String> = []
        return (collections.flatMap(\.media) + programmes.compactMap(\.picture)).filter {
            seen.insert($0.digest).inserted
        }
    }
}

/// A list of items of one kind.
package struct ContentCollection: Sendable, Hashable {
    /// How an app may select items.
    package struct Selections: OptionSet, Sendable, Hashable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// All items in their order.
        package static let list = Selections(rawValue: 1)
        /// One item per local date of each participant.
        package static let dailyForParticipant = Selections(rawValue: 2)
        /// One item per date in the study's zone, the same for everyone.
        package static let dailyForStudy = Selections(rawValue: 4)
        /// The next item on request.
        package static let draw = Selections(rawValue: 8)
    }

    /// Unique in the library.
    package var code: String
    /// Language -> title.
    package var title: [String: String]
    /// In the order of the pack.
    package var fields: [ContentField]
    /// In the order of the pack.
    package var items: [ContentItem]
    /// How an app may select items.
    package var selections: Selections
    /// An expression over fields and tailoring variables that limits the items for a participant (`where`); nil for
    /// none.
    package var condition: String?
    /// The item of the study's settings whose value names the variant of media that comes first; nil for none.
    package var variantSetting: String?
    /// Whether apps keep the collection for times without a connection.
    package var isOffline: Bool
    /// Whether it is readable without an account.
    package var isPublic: Bool

    /// Creates a collection; by default one that participants list and that has no items.
    package init(
        code: String, title: [String: String], fields: [ContentField], items: [ContentItem] = [],
        selections: Selections = .list, condition: String? = nil, variantSetting: String? = nil,
        isOffline: Bool = false, isPublic: Bool = false
    ) {
        self.code = code
        self.title = title
        self.fields = fields
        self.items = items
        self.selections = selections
        self.condition = condition
        self.variantSetting = variantSetting
        self.isOffline = isOffline
        self.isPublic = isPublic
    }

    /// The maximum number of items.
    package static let maximumItems = 10_000

    /// The item with this id; nil if there is none.
    package func item(_ id: String) -> ContentItem? { items.first { $0.id == id } }

    /// The media files of all items.
    var media: [ContentMedia] { items.flatMap(\.media) }

    /// The items that a participant may get, in their order.
    /// - Parameters:
    ///   - arm: items that name arms are for these arms only.
    ///   - condition: the collection's `where` and that of a rule, as far as they exist.
    ///   - entitlements: what the participant has. Items that need another entitlement are left out. Nil for a list,
    ///     which also names locked items.
    ///   - scope: the participant's variables, for the conditions.
    package func candidates(
        arm: String, entitlements: Set<String>?, conditions: [ContentCondition] = [],
        in scope: ExpressionScope? = nil
    ) -> [ContentItem] {
        items.filter { item in
            (item.arms.isEmpty || item.arms.contains(arm))
                && (entitlements.map { !item.isLocked(for: $0) } ?? true)
                && conditions.allSatisfy { $0.holds(for: item, in: scope) }
        }
    }
}

/// A field that every item of a collection can have.
package struct ContentField: Sendable, Hashable {
    /// The types of values.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case text, markdown, url, phone, code, integer, decimal, media
        /// Names with texts, such as colours.
        case map

        /// Whether the values can differ between languages.
        package var isPerLanguage: Bool { [.text, .markdown, .url, .media].contains(self) }

        /// The maximum number of characters of a text; nil for other types.
        package var maximumLength: Int? {
            switch self {
            case .text: 2000
            case .markdown: 50_000
            case .url: 2000
            case .phone: 20
            case .code: 60
            case .integer, .decimal, .media, .map: nil
            }
        }

        /// The type of the values in expressions; nil if expressions cannot name the field.
        package var expressionType: ExpressionType? {
            switch self {
            case .text, .markdown, .url, .phone, .code: .text
            case .integer, .decimal: .number
            case .media, .map: nil
            }
        }
    }

    /// Unique in the collection.
    package var name: String
    /// The type of the values.
    package var kind: Kind
    /// The maximum number of characters; nil for the maximum of the type.
    package var maximumLength: Int?
    /// The kind of media; nil if the field has another type.
    package var mediaKind: MediaFormat.Kind?
    /// The names of the versions that each file has, such as voices. Empty if there is one file.
    package var variants: [String]

    /// Creates a field; by default with one version.
    package init(
        name: String, kind: Kind, maximumLength: Int? = nil, mediaKind: MediaFormat.Kind? = nil,
        variants: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.maximumLength = maximumLength
        self.mediaKind = mediaKind
        self.variants = variants
    }
}

/// A picture, sound or film, without its bytes.
package struct ContentMedia: Sendable, Hashable {
    /// SHA-256 of the file, in hexadecimal digits.
    package var digest: String
    /// The format of the file.
    package var format: MediaFormat
    /// The size of the file in bytes.
    package var byteCount: Int

    /// The largest file: 64 MiB.
    package static let maximumBytes = 64 << 20

    /// Describes a file by its digest.
    package init(digest: String, format: MediaFormat, byteCount: Int) {
        self.digest = digest
        self.format = format
        self.byteCount = byteCount
    }

    /// Describes a file. Nil if its format is not accepted.
    package init?(_ bytes: [UInt8]) {
        guard let format = MediaFormat(of: bytes) else { return nil }
        self.init(bytes, format)
    }

    /// Describes a file after all checks of its content.
    /// - Parameter name: the name or path of the file; nil if it has none.
    package init(inspecting bytes: [UInt8], name: String? = nil) throws(MediaInspection.Fault) {
        if let name {
            self.init(bytes, try MediaInspection.format(of: bytes, name: name))
        } else {
            self.init(bytes, try MediaInspection.format(of: bytes))
        }
    }

    private init(_ bytes: [UInt8], _ format: MediaFormat) {
        digest = bytes.withUnsafeBytes { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: bytes)
            return Hex.encode(hash.finalize())
        }
        self.format = format
        byteCount = bytes.count
    }
}

/// The value of a field of one item.
package enum ContentValue: Sendable, Hashable {
    case text(String)
    case integer(Int)
    case decimal(Double)
    /// Name -> text, in the order of the pack.
    case map([String: String])
    /// One file, or one file per variant by its name.
    case media(ContentMedia)
    case variants([String: ContentMedia])

    var media: [ContentMedia] {
        switch self {
        case .media(let media): [media]
        case .variants(let variants): Array(variants.values)
        case .text, .integer, .decimal, .map: []
        }
    }

    /// The value in an expression; blank for media and maps.
    var expressionValue: ExpressionValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let number): .exact(Quantity(number))
        case .decimal(let number): .exact(Quantity(number))
        case .map, .media, .variants: .blank
        }
    }
}

/// One item of a collection.
package struct ContentItem: Sendable, Hashable {
    /// Unique in the collection. It names the item in the dataset and is never reused for another one.
    package var id: String
    /// Names of groups of items.
    package var tags: [String]
    /// The arms whose participants may get the item. Empty for all arms.
    package var arms: [String]
    /// Field -> value for all languages.
    package var values: [String: ContentValue]
    /// Language -> field -> value.
    package var words: [String: [String: ContentValue]]
    /// The entitlement without which the item is listed but its content is withheld; nil if everyone gets it.
    package var entitlement: String?

    /// Creates an item; by default for all participants and without words.
    package init(
        id: String, tags: [String] = [], arms: [String] = [], values: [String: ContentValue] = [:],
        words: [String: [String: ContentValue]] = [:], entitlement: String? = nil
    ) {
        self.id = id
        self.tags = tags
        self.arms = arms
        self.values = values
        self.words = words
        self.entitlement = entitlement
    }

    /// The media files of all fields and languages.
    var media: [ContentMedia] {
        (Array(values.values) + words.values.flatMap(\.values)).flatMap(\.media)
    }

    /// The value of a field in a language; otherwise the value for all languages; nil if it has none.
    package func value(of field: String, in language: String) -> ContentValue? {
        words[language]?[field] ?? values[field]
    }
}
