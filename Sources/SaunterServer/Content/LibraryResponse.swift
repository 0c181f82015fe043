import SaunterCore
import SaunterStore

/// The response bodies of the content library.
enum LibraryResponse {
    /// One collection that anyone can read, as the description of a study lists it.
    static let publicSummarySchema = Schema.named("PublicCollection", .object(summaryMembers))

    /// One collection in the list of a participant's library.
    static let summarySchema = Schema.named(
        "CollectionSummary",
        .object(
            summaryMembers + [.required("etag", .string(), "Changes whenever an item changes.")]))

    private static let summaryMembers: [Schema.Member] = [
        .required("collection", .string(), "The code of the collection."),
        .required("title", .string(), "The title in the participant's language."),
        .required("items", .integer(min: 0), "The number of items."),
        .required(
            "select", .array(of: .string(values: ["list", "daily", "draw"])),
            "How an app may select items."),
        .required("offline", .boolean, "Whether an app keeps the collection for times without a connection."),
        .required("fields", fieldsSchema, "The fields of the items, in their order."),
    ]

    private static let fieldsSchema = Schema.array(
        of: .object([
            .required("field", .string(), "The name of the field."),
            .required(
                "type", .string(values: ContentField.Kind.allCases.map(\.rawValue)), "The type of the values."
            ),
        ]))

    private static let valueMembers: [Schema.Member] = [
        .required("item", .string(), "The id of the item in its collection. Usage events name it."),
        .required(
            "fields", .map(of: .any),
            """
            The values by the name of the field: a text, a number, a map of texts, or for media an object with \
            `sha256`, `type`, `bytes` and `url`. A field without a value is absent.
            """),
        .required(
            "variants", .array(of: .any),
            "The further versions of media, such as another voice; empty if there is one version."),
        .required("locked", .boolean, "Whether the item is listed and its media are withheld."),
    ]

    /// One item of a list.
    static let itemSchema = Schema.named(
        "ContentItem",
        .object(
            [.required("order", .integer(min: 1), "The position in the collection, from 1.")] + valueMembers))

    /// The item of one local date.
    static let daySchema = Schema.named(
        "ContentOfDay",
        .object(
            [
                .required("local_date", .string(format: .date), "The local date."),
                .required("valid_until", .instant, "When the local date ends."),
            ] + valueMembers))

    /// Today's item of a collection that anyone can read. `fields` is the member of the item.
    static let publicDaySchema = Schema.named(
        "PublicContentOfDay",
        .object(
            [
                .required("collection", .string(), "The code of the collection."),
                .required("title", .string(), "The title of the collection."),
                .required("language", .string(), "The language of the texts."),
                .required("edition", .integer(min: 1), "The edition to which the item belongs."),
                .required("local_date", .string(format: .date), "The date in the zone of the study."),
                .required("valid_until", .instant, "When the date ends in the zone of the study."),
            ] + valueMembers))

    /// The item of a draw.
    static let drawSchema = Schema.named(
        "ContentDraw",
        .object(
            [
                .required("draw_id", .id, "The id that the client chose."),
                .required("replayed", .boolean, "Whether the draw was stored before."),
            ] + valueMembers))

    /// Members of every response about one collection.
    static let collectionMembers: [Schema.Member] = [
        .required("collection", .string(), "The code of the collection."),
        .required("title", .string(), "The title of the collection."),
        .required("language", .string(), "The language of the texts."),
        .required("fields", fieldsSchema, "The fields of the items, in their order."),
        .required("edition", .integer(min: 1), "The edition to which the items belong."),
    ]
}
