/// A long text.
enum TextItem: TextForm {
    static let succession: ItemType? = .string
    static let maximumLength = 20_000

    static func redcap(_ item: Item) -> REDCapFieldType { ("notes", nil) }
    static let answerSeconds = 60.0
}
