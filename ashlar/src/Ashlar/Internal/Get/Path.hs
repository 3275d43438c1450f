-- |
-- Module      : Ashlar.Internal.Get.Path
-- Description : Where in a value a decoder is, as its errors say it
--
-- An error in a derived decoder, or in one that is made by "Ashlar.Codec.Combinators", says the
-- path to the field that it happened in: @Order.items[3].price@.
--
-- Note [Parts]
-- ~~~~~~~~~~~~
-- In a traced run (Note [Traced runs]) names cost nothing as long as all is well. A decoder that
-- goes into a value keeps two things. Its environment says which type it is decoding ('Inside'), as
-- a pointer to something that is only evaluated for an error ('Names'). A cell says which part of
-- the value it is in, as a number that it writes before it decodes the part. When a decoder goes
-- into the part in its turn, it puts the number that it finds into its own environment, and when it
-- leaves, back into the cell. So the environments and the cell together are the path, at the price
-- of one write for each part of variable size. Parts of constant size are read together and need
-- none: the offset tells which of them it was. (In runs that are not traced the number may be
-- written too, and is never read.)
--
-- Also thought of: a label in the environment for each field, which allocates for each; and to
-- decode again with labels after a failure, which is not possible when the input is gone, and is
-- done when it is not.
module Ashlar.Internal.Get.Path
  ( -- * What is known of a type
    Names (..),
    Part (..),

    -- * Numbers of parts
    PartNumber,
    unknownPart,
    inPart,
    inSpan,

    -- * The path of a decoder
    Context (..),
    enclosing,
    innermost,
    labelsAt,
    Cut (..),
    cutField,
    announcedElements,
  )
where

import Data.Char (isDigit)

-- | What is known of a type, for errors.
data Names
  = Nameless
  | -- | Its name.
    OfType String
  | -- | One of its constructors: the name of the type, the name of the constructor if there are
    -- several, the names of the fields if they have some (each ended by a space), and the fields.
    OfConstructor String String String [Part]
  | -- | A record: the name of its type, or none, and its fields, each with its name.
    OfFields String [(String, Part)]
  | -- | Elements: the number of the first, how many were announced, and what each of them is.
    OfElements !Int !Int Part

-- | A field or an element.
data Part
  = -- | Of variable size.
    VariablePart
  | -- | Of constant size: the number of bytes, and the type.
    ConstantPart Int Names

-- | Where in a value a decoder is: in one part, or in a span. Fields are numbered backwards: the
-- number is how many follow.
type PartNumber = Int

-- | Not known: a part that is not derived has decoded something, and goes on.
unknownPart :: PartNumber
unknownPart = 0
{-# INLINE unknownPart #-}

-- | In the part with this number.
inPart :: Int -> PartNumber
inPart i = 2 * i + 2
{-# INLINE inPart #-}

-- | In a span: of elements, from this number on; of fields, from where n are left.
inSpan :: Int -> PartNumber
inSpan i = 2 * i + 3
{-# INLINE inSpan #-}

-- | What is being decoded, the innermost first.
data Context
  = -- | Nothing is around.
    Top
  | -- | Inside 'Ashlar.Get.label': the name.
    Labelled String !Context
  | -- | Inside 'Ashlar.Get.<?>': the name, and the offset at which it began.
    Expecting String !Int !Context
  | -- | Inside a value: its names, and the part that the decoder around it was in.
    Inside Names !PartNumber !Context
  | -- | Inside a value that is read as one span. The cell has the part that the decoder around it
    -- is in.
    InsideSpan Names !Context
  | -- | Inside an isolated part as @binary@ has them: the offset at which it began.
    CountedFrom !Int !Context
  | -- | Inside 'Ashlar.Get.origin': the offset at which it began. -1 in a jump that none is around.
    OriginAt !Int !Context
  | -- | Inside a run as @cereal@ has them: the length of its input, or -1 if it was not announced.
    Announced !Int !Context

-- | The context around a context. 'Nothing' at the 'Top'.
enclosing :: Context -> Maybe Context
enclosing context = case context of
  Top -> Nothing
  Labelled _ outer -> Just outer
  Expecting _ _ outer -> Just outer
  Inside _ _ outer -> Just outer
  InsideSpan _ outer -> Just outer
  CountedFrom _ outer -> Just outer
  OriginAt _ outer -> Just outer
  Announced _ outer -> Just outer

-- | What the innermost context says of which a function says something.
innermost :: (Context -> Maybe a) -> Context -> Maybe a
innermost says context = case says context of
  Nothing -> enclosing context >>= innermost says
  found -> found

-- | A part that the input ends in: how many bytes before it are there, and how many it takes.
data Cut = NoPart | Cut !Int !Int

-- | Fields of constant size are read together. If bytes are missing, this finds the field that is
-- cut. So errors are those of fields that are read one by one.
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

-- | How many elements the innermost container has announced.
announcedElements :: Context -> Maybe Int
announcedElements = innermost $ \context -> case context of
  Inside (OfElements _ n _) _ _ -> Just n
  InsideSpan (OfElements _ n _) _ -> Just n
  _ -> Nothing

-- | The labels around a failure, the innermost first.
labelsAt ::
  Context ->
  -- | What 'Ashlar.Internal.Get.Env.partCell' says.
  PartNumber ->
  -- | How far after the cursor the failure is.
  Int ->
  -- | How many bytes it is about. If these are more than a part has, it is about more than this
  -- part.
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

-- What a context adds to the labels: a label that was given, or some selectors of a path.
data Entry = Named String | Along [Selector]

-- The entries of all contexts around a failure, the innermost first.
entriesOf :: Context -> PartNumber -> Int -> Int -> [Entry]
entriesOf context part target size = case context of
  Labelled name outer -> Named name : entriesOf outer part target size
  Inside names before outer -> along names part (entriesOf outer before 0 0)
  InsideSpan names outer -> along names (spanOfAll names) (entriesOf outer part 0 0)
  _ -> maybe [] (\outer -> entriesOf outer part target size) (enclosing context)
  where
    along names at rest = case pathIn names at target size of
      Spot _ _ [] -> rest
      Spot _ _ path -> Along path : rest

-- There may be as many entries as bytes of input. Of more than 32 only the ends are shown.
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

-- A label in the making: one that was given; or a path, and whether it begins with a type.
data Label = Given String | Path Bool ShowS

-- Put an entry before the labels around it. A path within a path continues it, unless that would
-- lose the type.
labelled :: Entry -> [Label] -> [Label]
labelled s labels = case s of
  Named name -> Given name : labels
  Along path -> case (path, labels) of
    (Type _ : inner, Path True outer : rest) -> Path True (outer . render inner) : rest
    (Type _ : _, _) -> Path True (render path) : labels
    (_, Path typed outer : rest) -> Path typed (outer . render path) : rest
    _ -> Path False (render path) : labels
  where
    render selectors rest = foldr selector rest selectors
    selector p = case p of
      Type name -> showString (typeName name)
      Dot name -> showChar '.' . showString name
      Index i -> showChar '[' . shows i . showChar ']'

-- The types of tuples have other names from GHC 9.6 on.
typeName :: String -> String
typeName name = case splitAt 5 name of
  ("Tuple", n@(_ : _)) | all isDigit n -> "(" ++ replicate (read n - 1) ',' ++ ")"
  _ -> name

-- One step of a path.
data Selector = Type String | Dot String | Index Int

-- Where a part begins, after those that are read together with it; its size, or 0 if that is not
-- known; and the path to it.
data Spot = Spot Int Int [Selector]

within :: [Selector] -> Spot -> Spot
within outer (Spot start width path) = Spot start width (outer ++ path)

-- The part that a failure is in. In a span, the failure is at the byte with this number, and the
-- part has at least this many bytes from there on.
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

-- The field at a byte of a span of fields. The first field begins at the first number, and the byte
-- is counted from there.
inFields :: [([Selector], Part)] -> Int -> Int -> Int -> Spot
inFields fields start target size = case fields of
  (path, ConstantPart width inner) : more
    | target >= width -> inFields more (start + width) (target - width) size
    | size <= width - target -> within path (inConstant inner width start target size)
  _ -> Spot 0 0 []

-- The span of all fields, or elements.
spanOfAll :: Names -> PartNumber
spanOfAll names = case names of
  OfConstructor _ _ _ parts -> inSpan (length parts)
  OfFields _ fields -> inSpan (length fields)
  OfElements {} -> inSpan 0
  _ -> unknownPart

-- The part at a byte of a value of constant size, which begins at the second number.
inConstant :: Names -> Int -> Int -> Int -> Int -> Spot
inConstant names width start target size = case pathIn names (spanOfAll names) target size of
  Spot inner innerWidth path
    | innerWidth > 0 -> Spot (start + inner) innerWidth (withoutType path)
    | otherwise -> Spot start width []
  where
    withoutType path = case path of
      Type _ : more -> more
      _ -> path
