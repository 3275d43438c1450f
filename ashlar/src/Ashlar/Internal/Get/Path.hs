-- |
-- Module      : Ashlar.Internal.Get.Path
-- Description : Where in a value a decoder is, as its errors say it
--
-- An error in a derived decoder, or in one that is made by "Ashlar.Codec.Combinators", says the
-- path to the field that it happened in: @Order.items[3].price@.
--
-- Note [Parts]
-- ~~~~~~~~~~~~
-- A traced run (Note [Traced runs]) knows its path without evaluating a name before there is an
-- error. The path is in two places. The environment has the types of the values that the decoder is
-- in ('Inside'), as pointers to 'Names', which are only evaluated for an error. The cell @partCell@
-- has the number of the part of the innermost value, which a decoder writes before it decodes the
-- part. When a decoder enters a value, it moves the number from the cell into its own environment,
-- and when it leaves the value, back into the cell. So the path costs one write for each part of
-- variable size. Parts of constant size are read together and cost no write: the offset of the
-- error says which part failed. (Untraced runs may write the number, too, but never read it.)
--
-- Also thought of: a label in the environment for each field, which allocates for each; decoding
-- again with labels after a failure, which only works for input that is still there.
module Ashlar.Internal.Get.Path
  ( -- * What is known of a type
    Names (..),
    Part (..),

    -- * Numbers of parts
    PartNumber,
    unknownPart,
    inPart,
    spanPart,

    -- * The path of a decoder
    Context (..),
    enclosing,
    labelsAt,
    Cut (..),
    cutField,
    announcedElements,
  )
where

import Data.Char (isDigit)

-- | What errors say of a value.
data Names
  = Nameless
  | -- | The name of its type.
    OfType String
  | -- | The name of its type, the name of its constructor (empty if the type has only one), the
    -- names of its fields (each ended by a space; empty if they have none), and its fields.
    OfConstructor String String String [Part]
  | -- | A record: the name of its type, or an empty one, and its fields with their names.
    OfFields String [(String, Part)]
  | -- | Elements: the index of the first, the announced number of all, and the part that each is.
    OfElements !Int !Int Part

-- | A field or an element.
data Part
  = -- | Of variable size.
    VariablePart
  | -- | Of constant size: the number of bytes, and what errors say of it.
    ConstantPart Int Names

-- | Where in a value a decoder is: 0 if that is unknown, @2 * i + 2@ in part i, and @2 * i + 3@ in
-- a span that begins with element i, or consists of the last i fields. Fields are numbered from the
-- last one, which is 0.
type PartNumber = Int

-- | The part is not known, because no derived decoder has set it.
unknownPart :: PartNumber
unknownPart = 0
{-# INLINE unknownPart #-}

-- | In the element with this index, or in the field that this many fields follow.
inPart :: Int -> PartNumber
inPart i = 2 * i + 2
{-# INLINE inPart #-}

-- | In a span that begins with the element of this index, or that consists of the last n fields.
spanPart :: Int -> PartNumber
spanPart i = 2 * i + 3
{-# INLINE spanPart #-}

-- | What is being decoded, the innermost first.
data Context
  = -- | The outermost context.
    Top
  | -- | Inside 'Ashlar.Get.label': the name.
    Labelled String !Context
  | -- | Inside 'Ashlar.Get.<?>': the name, and the offset at which its decoder began.
    Expecting String !Int !Context
  | -- | Inside a value: its names, and the part of the value around it.
    Inside Names !PartNumber !Context
  | -- | Inside a value that is read as one span. The part of the value around it is in the cell.
    InsideSpan Names !Context

-- | The context around a context. 'Nothing' at the 'Top'.
enclosing :: Context -> Maybe Context
enclosing context = case context of
  Top -> Nothing
  Labelled _ outer -> Just outer
  Expecting _ _ outer -> Just outer
  Inside _ _ outer -> Just outer
  InsideSpan _ outer -> Just outer

-- | The part in which the input ends: how many of the bytes left precede it, and how many it takes.
data Cut = NoPart | Cut !Int !Int

-- | Find the field in which the input ends, when bytes of a span are missing. So the error is the
-- same as if the fields were read one by one.
cutField ::
  Context ->
  -- | What 'Ashlar.Internal.Get.Env.partCell' says.
  PartNumber ->
  -- | How many bytes are left.
  Int ->
  Cut
cutField context part left = case context of
  Inside names _ _ -> cutIn names part
  InsideSpan names _ -> cutIn names (spanOfAll names)
  _ -> NoPart
  where
    cutIn names place = case pathIn names place left 0 of
      Spot start width _
        | width > 0 && start <= left -> Cut start width
        | otherwise -> NoPart

-- | How many elements the innermost container announced.
announcedElements :: Context -> Maybe Int
announcedElements context = case context of
  Inside (OfElements _ n _) _ _ -> Just n
  InsideSpan (OfElements _ n _) _ -> Just n
  _ -> enclosing context >>= announcedElements

-- | The labels around a failure, the innermost first.
labelsAt ::
  Context ->
  -- | What 'Ashlar.Internal.Get.Env.partCell' says.
  PartNumber ->
  -- | How far after the cursor the failure is.
  Int ->
  -- | How many bytes the failure is about. If a part has fewer bytes, the failure is not only about
  -- that part, which is then no label.
  Int ->
  [String]
labelsAt context part ahead size = map labelText (foldr labelled [] entries)
  where
    entries = shortened (entriesOf context part ahead size)
    labelText l = case l of
      Given name -> name
      Path _ path -> case path "" of
        '.' : name -> name
        name -> name

-- What a context adds to the labels: a label from the user, or selectors of a path.
data Entry = Named String | Along [Selector]

-- The entries of all contexts around a failure, the innermost first.
entriesOf :: Context -> PartNumber -> Int -> Int -> [Entry]
entriesOf context part target size = case context of
  Labelled name outer -> Named name : entriesOf outer part target size
  Inside names before outer -> along names part (entriesOf outer before 0 0)
  InsideSpan names outer -> along names (spanOfAll names) (entriesOf outer part 0 0)
  _ -> maybe [] (\outer -> entriesOf outer part target size) (enclosing context)
  where
    along names at around = case pathIn names at target size of
      Spot _ _ [] -> around
      Spot _ _ path -> Along path : around

-- Replace all but the first 24 and the last 8 entries by one. (There may be as many entries as
-- bytes of input.)
shortened :: [Entry] -> [Entry]
shortened entries
  | null (drop (innerShown + outerShown) entries) = entries
  | otherwise = inner ++ left : outer
  where
    innerShown = 24
    outerShown = 8
    (inner, others) = splitAt innerShown entries
    (middle, outer) = splitAt (length others - outerShown) others
    left = if null [() | Named _ <- middle] then Along [Dot ".."] else Named ".."

-- A label from the user, or a path: whether it begins with a type, and its text so far.
data Label = Given String | Path Bool ShowS

-- Add an entry to the labels around it. Selectors continue the path around them. If they begin with
-- a type, and that path does not, they begin a new label, which shows the type.
labelled :: Entry -> [Label] -> [Label]
labelled s labels = case s of
  Named name -> Given name : labels
  Along path -> case (path, labels) of
    (Type _ : inner, Path True outer : others) -> Path True (outer . render inner) : others
    (Type _ : _, _) -> Path True (render path) : labels
    (_, Path typed outer : others) -> Path typed (outer . render path) : others
    _ -> Path False (render path) : labels
  where
    render selectors after = foldr selector after selectors
    selector p = case p of
      Type name -> showString (typeName name)
      Dot name -> showChar '.' . showString name
      Index i -> showChar '[' . shows i . showChar ']'

-- The types of tuples have other names from GHC 9.6 on. (A schema may contain any name.)
typeName :: String -> String
typeName name = case splitAt 5 name of
  ("Tuple", n@(_ : _)) | all isDigit n, length n <= 2 -> "(" ++ replicate (read n - 1) ',' ++ ")"
  _ -> name

-- One step of a path.
data Selector = Type String | Dot String | Index Int

-- A part: how many bytes after the beginning of its span it begins, its size in bytes (0 if that is
-- not known), and the path to it.
data Spot = Spot Int Int [Selector]

within :: [Selector] -> Spot -> Spot
within outer (Spot start width path) = Spot start width (outer ++ path)

-- The part that a failure is in. In a span, 'target' is how many bytes after the beginning of the
-- span the failure is. The part has at least 'size' bytes from there on.
pathIn :: Names -> PartNumber -> Int -> Int -> Spot
pathIn names place target size = case names of
  Nameless -> unknown
  OfType name -> within [Type name] unknown
  OfConstructor name constructor fields parts ->
    within (Type name : [Dot constructor | not (null constructor)]) $
      among (zip (if null fields then unnamed parts else map (\f -> [Dot f]) (words fields)) parts)
  OfFields name fields ->
    within [Type name | not (null name)] $
      among [([Dot field], part) | (field, part) <- fields]
  OfElements first _ part -> case (placed, part) of
    (Nothing, _) -> unknown
    (Just (i, True), ConstantPart width inner)
      | width > 0 ->
        let (n, byte) = target `quotRem` width
         in within [Index (first + i + n)] (inConstant inner width (n * width) byte size)
    (Just (i, _), _) -> within [Index (first + i)] unknown
  where
    unknown = Spot 0 0 []
    among fields = case placed of
      Nothing -> unknown
      Just (i, False) -> within (concatMap fst (take 1 (final (i + 1)))) unknown
      Just (i, True) -> inFields (final i) 0 target size
      where
        final n = drop (length fields - n) fields
    placed
      | place < 2 = Nothing
      | otherwise = Just (place `quot` 2 - 1, odd place)
    unnamed parts = case parts of
      [_] -> [[]]
      _ -> [[Dot (show i)] | i <- [1 .. length parts]]

-- The field in a span that has the byte 'target', which is counted from 'start', where the first of
-- these fields begins.
inFields :: [([Selector], Part)] -> Int -> Int -> Int -> Spot
inFields fields start target size = case fields of
  (path, ConstantPart width inner) : more
    | target >= width -> inFields more (start + width) (target - width) size
    | size <= width - target -> within path (inConstant inner width start target size)
  _ -> Spot 0 0 []

-- The number of the span of all fields or elements.
spanOfAll :: Names -> PartNumber
spanOfAll names = case names of
  OfConstructor _ _ _ parts -> spanPart (length parts)
  OfFields _ fields -> spanPart (length fields)
  OfElements {} -> spanPart 0
  _ -> unknownPart

-- The part in a value of constant size that has the byte 'target', which is counted from 'start',
-- where the value begins.
inConstant :: Names -> Int -> Int -> Int -> Int -> Spot
inConstant names width start target size = case pathIn names (spanOfAll names) target size of
  Spot inner innerWidth path
    | innerWidth > 0 -> Spot (start + inner) innerWidth (withoutType path)
    | otherwise -> Spot start width []
  where
    withoutType path = case path of
      Type _ : more -> more
      _ -> path
