/// The kinds of usage events. The raw values are the names of the API.
package enum UsageEventKind: String, Sendable, Hashable, CaseIterable {
    case appOpened = "app_opened"
    case appClosed = "app_closed"
    case appCrashed = "app_crashed"
    case screenSeen = "screen_seen"
    case promptDelivered = "prompt_delivered"
    case promptOpened = "prompt_opened"
    case promptDismissed = "prompt_dismissed"
    case sheetBegun = "sheet_begun"
    case sheetLeft = "sheet_left"
    case permissionChanged = "permission_changed"
    case appUpdated = "app_updated"
    case featureOpened = "feature_opened"
    case contentShown = "content_shown"
    case contentPlayed = "content_played"
    case contentCompleted = "content_completed"
}
