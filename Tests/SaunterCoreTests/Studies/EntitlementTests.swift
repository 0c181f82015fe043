import Testing

@testable import SaunterCore

@Suite struct EntitlementTests {
    private static let start = Instant("2026-11-01T00:00:00Z")!
    private static let end = Instant("2026-12-01T00:00:00Z")!
    private static let grace = end.adding(seconds: 3 * 86_400)

    private static func purchase(revokedAt: Instant? = nil) -> EntitlementGrant {
        EntitlementGrant(
            code: "premium", source: .appStore, validFrom: start, validUntil: end, revokedAt: revokedAt)
    }

    // MARK: States

    @Test(arguments: [
        (start.adding(milliseconds: -1), EntitlementState.ended), (start, .active),
        (end.adding(milliseconds: -1), .active), (end, .grace), (grace.adding(milliseconds: -1), .grace),
        (grace, .ended),
    ])
    func `a purchase applies from its start to three days after its end`(
        now: Instant, expected: EntitlementState
    ) {
        #expect(Self.purchase().state(at: now) == expected)
    }

    @Test func `a refund ends a purchase three days after it, and never later than its end`() {
        let refunded = Instant("2026-11-10T00:00:00Z")!

        #expect(Self.purchase(revokedAt: refunded).endsAt == refunded)
        #expect(Self.purchase(revokedAt: refunded).state(at: refunded) == .grace)
        #expect(Self.purchase(revokedAt: refunded).state(at: refunded.adding(seconds: 3 * 86_400)) == .ended)
        #expect(Self.purchase(revokedAt: Self.grace).endsAt == Self.end)
    }

    @Test func `a gift has no grace period, and may have no end`() {
        var gift = EntitlementGrant(code: "premium", source: .gift, validFrom: Self.start)
        #expect(gift.state(at: .maximum) == .active)

        gift.validUntil = Self.end
        #expect(gift.state(at: Self.end.adding(milliseconds: -1)) == .active)
        #expect(gift.state(at: Self.end) == .ended)
    }

    @Test func `the codes are those that apply, grace periods included`() {
        let gift = EntitlementGrant(
            code: "retreat", source: .gift, validFrom: Self.start, validUntil: Self.end)

        #expect([Self.purchase(), gift].codes(at: Self.start) == ["premium", "retreat"])
        #expect([Self.purchase(), gift].codes(at: Self.end) == ["premium"])
        #expect([Self.purchase(), gift].codes(at: Self.grace) == [])
    }

    // MARK: Locks

    private static func study() -> Study {
        var study = Sample.study([])
        study.entitlements = [
            Entitlement(code: "premium", plans: [Plan(code: "monthly", appStoreProduct: "a.month")]),
            Entitlement(code: "retreat"),
        ]
        study.anyTime = [
            AnyTimeRule(questionnaire: "free"), AnyTimeRule(questionnaire: "deep", entitlement: "premium"),
        ]
        return study
    }

    @Test func `a questionnaire is locked without its entitlement only`() {
        let study = Self.study()

        #expect(study.isLocked("deep", for: []) && study.isLocked("deep", for: ["retreat"]))
        #expect(!study.isLocked("deep", for: ["premium"]))
        #expect(!study.isLocked("free", for: []) && !study.isLocked("unknown", for: []))
        #expect(study.lockedQuestionnaires(for: []) == ["deep"])
        #expect(study.lockedQuestionnaires(for: ["premium"]) == [])
    }

    @Test func `a product leads to its plan`() {
        let found = Self.study().plan(ofAppStoreProduct: "a.month")

        #expect(found?.entitlement.code == "premium" && found?.plan.code == "monthly")
        #expect(Self.study().plan(ofAppStoreProduct: "a.year") == nil)
    }

    private static let media = ContentMedia([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])!
    private static let collection = ContentCollection(
        code: "sayings", title: [:],
        fields: [
            ContentField(name: "title", kind: .text), ContentField(name: "body", kind: .text),
            ContentField(name: "picture", kind: .media, mediaKind: .image),
        ],
        items: [
            ContentItem(id: "open"),
            ContentItem(
                id: "locked", values: ["picture": .media(media)],
                words: ["en": ["title": .text("Deep water"), "body": .text("Secret")]],
                entitlement: "premium"),
        ])

    @Test func `a locked item has only its heading`() {
        let item = Self.collection.items[1]

        let locked = Self.collection.json(of: item, in: "en", entitlements: [], mediaPath: "/m/")
        let open = Self.collection.json(of: item, in: "en", entitlements: ["premium"], mediaPath: "/m/")

        #expect(JSON.object(locked).text.contains("Deep water"))
        #expect(locked["locked"] == true && !JSON.object(locked).text.contains("Secret"))
        #expect(!JSON.object(locked).text.contains(Self.media.digest))
        #expect(open["locked"] == false && JSON.object(open).text.contains("Secret"))
        #expect(JSON.object(open).text.contains(Self.media.digest))
    }

    @Test func `selections leave locked items out, and lists do not`() {
        #expect(Self.collection.candidates(arm: "a", entitlements: nil).map(\.id) == ["open", "locked"])
        #expect(Self.collection.candidates(arm: "a", entitlements: []).map(\.id) == ["open"])
        #expect(
            Self.collection.candidates(arm: "a", entitlements: ["premium"]).map(\.id) == ["open", "locked"])
    }

    @Test func `a file of a locked item is open if an open item has it too`() {
        var library = Library(collections: [Self.collection])
        #expect(library.hasLocks && library.isOpen(media: Self.media.digest, for: []) == false)
        #expect(library.isOpen(media: Self.media.digest, for: ["premium"]) == true)
        #expect(library.isOpen(media: "unknown", for: []) == nil)

        library.collections[0].items[0].values["picture"] = .media(Self.media)
        #expect(library.isOpen(media: Self.media.digest, for: []) == true)

        library.collections[0].items[0].values["picture"] = nil
        library.programmes = [Programme(code: "calm", text: [:], picture: Self.media)]
        #expect(library.isOpen(media: Self.media.digest, for: []) == true)
    }

    @Test func `a picture of questions is open if a questionnaire that is never locked shows it too`() {
        let picture = MediaFile([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])!
        var study = Self.study()
        study.brand.questionMedia = ["deep/1.0.0/media/a.png": picture]

        #expect(study.questionnaires(showing: picture.name) == ["deep"])
        #expect(!study.isOpen(media: picture.name) && !study.isOpen(media: "unknown.png"))

        study.brand.questionMedia["free/1.0.0/media/b.png"] = picture
        #expect(study.isOpen(media: picture.name))
        study.brand.questionMedia["free/1.0.0/media/b.png"] = nil
        study.brand.icon = picture
        #expect(study.isOpen(media: picture.name))
    }
}
