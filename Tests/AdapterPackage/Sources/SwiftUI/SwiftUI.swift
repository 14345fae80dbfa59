// Stand-ins for what TablecastUI and the examples use of SwiftUI, declared from Apple's public documentation: they compile, and draw
// nothing.

@_exported import Foundation
import Observation

@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { fatalError("a view that draws itself") } }

/// A view without a body: one of SwiftUI's own.
public protocol DrawnView: View where Body == Never {}
extension DrawnView { public var body: Never { fatalError("a view that draws itself") } }

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("a view that draws itself") }
}
extension Optional: DrawnView where Wrapped: View {}

public struct EmptyView: DrawnView { public init() {} }
public struct SomeView: DrawnView { init() {} }

@resultBuilder @MainActor public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> SomeView { SomeView() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<Content: View>(first: Content) -> SomeView { SomeView() }
  public static func buildEither<Content: View>(second: Content) -> SomeView { SomeView() }
}

// MARK: State

@propertyWrapper @dynamicMemberLookup @MainActor public struct Binding<Value> {
  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }
  public var projectedValue: Binding<Value> { self }
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void

  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    (read, write) = (get, set)
  }

  public subscript<Part>(dynamicMember path: WritableKeyPath<Value, Part>) -> Binding<Part> {
    Binding<Part>(get: { wrappedValue[keyPath: path] }, set: { wrappedValue[keyPath: path] = $0 })
  }
}

@propertyWrapper @MainActor public struct State<Value> {
  private final class Box { var value: Value; init(_ value: Value) { self.value = value } }
  private let box: Box
  public init(wrappedValue value: Value) { box = Box(value) }
  public init(initialValue value: Value) { box = Box(value) }
  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }
  public var projectedValue: Binding<Value> { Binding(get: { box.value }, set: { box.value = $0 }) }
}

public enum ScenePhase: Sendable { case background, inactive, active }
@MainActor public struct EnvironmentValues { public var scenePhase: ScenePhase { .active } }
@propertyWrapper @MainActor public struct Environment<Value> {
  private let path: KeyPath<EnvironmentValues, Value>
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

// MARK: Apps

@MainActor public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}
extension Never: Scene {}
@MainActor public protocol App {
  associatedtype Body: Scene
  init()
  var body: Body { get }
}
extension App { public static func main() {} }
public struct WindowGroup: Scene {
  public init<Content: View>(@ViewBuilder content: () -> Content) { _ = content() }
  public var body: Never { fatalError("a scene that draws itself") }
}
extension Scene {
  public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> Self { self }
}

// MARK: Views

public struct Text: DrawnView { public init(_ text: some StringProtocol) {} }
public struct Image: DrawnView { public init(systemName: String) {} }
public struct Label: DrawnView { public init(_ title: some StringProtocol, systemImage: String) {} }
public struct ProgressView: DrawnView { public init() {} }
public struct Spacer: DrawnView { public init() {} }
public struct Divider: DrawnView { public init() {} }

public struct HStack: DrawnView { public init<Content: View>(@ViewBuilder content: () -> Content) { _ = content() } }
public struct VStack: DrawnView {
  public init<Content: View>(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> Content) {
    _ = content()
  }
}
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public struct NavigationStack: DrawnView { public init<Root: View>(@ViewBuilder root: () -> Root) { _ = root() } }

public struct List: DrawnView {
  public init<Data: RandomAccessCollection, Row: View>(_ data: Data, @ViewBuilder row: (Data.Element) -> Row)
  where Data.Element: Identifiable { for element in data { _ = row(element) } }
  public init<Content: View>(@ViewBuilder content: () -> Content) { _ = content() }
}
public struct Section: DrawnView {
  public init<Content: View>(@ViewBuilder content: () -> Content) { _ = content() }
  public init<Content: View>(_ title: some StringProtocol, @ViewBuilder content: () -> Content) { _ = content() }
  public init<Content: View, Header: View>(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header) {
    _ = (content(), header())
  }
}
public struct ForEach: DrawnView {
  public init<Data: RandomAccessCollection, Content: View>(
    _ data: Data,
    @ViewBuilder content: (Data.Element) -> Content
  )
  where Data.Element: Identifiable { for element in data { _ = content(element) } }
  public init<Data: RandomAccessCollection, ID: Hashable, Content: View>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: (Data.Element) -> Content
  ) { for element in data { _ = content(element) } }
  public func onDelete(perform action: ((IndexSet) -> Void)?) -> Self { self }
  public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self { self }
}

public enum ButtonRole: Sendable { case destructive, cancel }
public struct Button: DrawnView {
  public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
  public init(_ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void) {}
  public init<Content: View>(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Content) { _ = label() }
}
public struct Menu: DrawnView {
  public init<Content: View>(_ title: some StringProtocol, systemImage: String, @ViewBuilder content: () -> Content) {
    _ = content()
  }
}
public struct Picker: DrawnView {
  public init<Value: Hashable, Content: View>(
    _ title: some StringProtocol,
    selection: Binding<Value>,
    @ViewBuilder content: () -> Content
  ) { _ = content() }
}
public struct TextField: DrawnView { public init(_ title: some StringProtocol, text: Binding<String>) {} }

public enum HorizontalEdge: Sendable { case leading, trailing }

extension View {
  public func tag(_ tag: some Hashable) -> some View { SomeView() }
  public func opacity(_ opacity: Double) -> some View { SomeView() }
  public func font(_ font: Font) -> some View { SomeView() }
  public func foregroundStyle(_ color: Color) -> some View { SomeView() }
  public func disabled(_ isDisabled: Bool) -> some View { SomeView() }
  public func navigationTitle(_ title: some StringProtocol) -> some View { SomeView() }
  public func searchable(text: Binding<String>, prompt: some StringProtocol) -> some View { SomeView() }
  public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { content() }
  public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { content() }
  public func refreshable(action: @escaping @MainActor () async -> Void) -> some View { SomeView() }
  public func task(_ action: @escaping @MainActor () async -> Void) -> some View { SomeView() }
  public func onAppear(perform action: (() -> Void)?) -> some View { SomeView() }
  public func onSubmit(_ action: @escaping () -> Void) -> some View { SomeView() }
  public func swipeActions<Content: View>(edge: HorizontalEdge = .trailing, @ViewBuilder content: () -> Content)
    -> some View
  {
    content()
  }
}

public struct Font: Sendable { public static let (caption, body, headline) = (Font(), Font(), Font()) }
public struct Color: Sendable { public static let (red, secondary, primary) = (Color(), Color(), Color()) }
