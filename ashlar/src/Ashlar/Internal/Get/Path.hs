-- |
-- Module      : Ashlar.Internal.Get.Path
-- Description : Where in a value a decoder is, as its errors say it
--
-- An error in a derived decoder, or in one that is made by "Ashlar.Codec.Combinators", says
-- the path to the field that it happened in: @Order.items[3].price@.
--
-- Note [Places]
-- ~~~~~~~~~~~~~
-- In a traced run (Note [Traced runs]), names cost nothing as long as all is well. A decoder that goes into a value
-- keeps two things: in its environment, which type it is decoding ('Inside'), as a
-- pointer to something that is only evaluated for an error ('Names'); and in a cell,
-- where in the value it is, as a number that it writes before it decodes a part. When
-- a decoder goes into the part in its turn, it puts the number that it finds into
-- its own environment, and when it leaves, back into the cell. So the environments
-- and the cell together are the path, at the price of one write for each part of variable
-- size; and the parts of constant size, which are read together, need none: which
-- of them it was, the offset tells. (In runs that are not traced the number may be
-- written too, and is never read.)
--
-- (Also thought of: a label in the environment for each field, which allocates for
-- each; and to decode again with labels after a failure, which is not possible when
-- the input is gone, and is done when it is not: Note [Traced runs].)
module Ashlar.Internal.Get.Path
  ( -- * What is known of a type
    Names (..),
    Part (..),

    -- * Numbers of places
    Place,
    somewhere,
    inPart,
    inRun,

    -- * The path of a decoder
    Context (..),
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
  | -- | One of its constructors: the name of the type, that of the constructor if
    -- there are several, those of the fields (each ended by a space) if they have
    -- some, and what the fields are.
    OfConstructor String String String [Part]
  | -- | A record: the name of its type, or none, and its fields, each with its name.
    OfFields String [(String, Part)]
  | -- | Elements: the number of the first, how many were announced, and what each of them is.
    OfElements !Int !Int Part

-- | A field or an element.
data Part
  = -- | Of variable size.
    VariablePart
  | -- | Of so many bytes, and of this type.
    ConstantPart Int Names

-- | Where in a value a decoder is: in one part, or in a run of parts that have a constant size
-- and are read together. Fields are numbered backwards: the number is how many
-- follow.
type Place = Int

-- | Not known: a part that is not derived has decoded something, and goes on.
somewhere :: Place
somewhere = 0
{-# INLINE somewhere #-}

-- | In the part with this number.
inPart :: Int -> Place
inPart i = 2 * i + 2
{-# INLINE inPart #-}

-- | In a run: of elements, from this number on; of fields, from where so many are left.
inRun :: Int -> Place
inRun i = 2 * i + 3
{-# INLINE inRun #-}

-- | What is being decoded, the innermost first.
data Context
  = Top
  | -- | Inside 'Ashlar.Get.label'.
    Labelled String !Context
  | -- | Inside 'Ashlar.Get.<?>', which began at this offset.
    Expecting String !Int !Context
  | -- | Inside a value, and where the decoder around it is.
    Inside Names !Place !Context
  | -- | Inside a value that is read as one run. The cell has the place of the decoder
    -- around it.
    InsideRun Names !Context
  | -- | Inside an isolated part as @binary@ has them, which began at this offset.
    CountedFrom !Int !Context
  | -- | Inside a run as @cereal@ has them: the length of its input, if it was
    -- announced (else -1).
    Announced !Int !Context

-- | A part that the input ends in: how many bytes before it are there, and how many it
-- takes.
data Cut = NoPart | Cut !Int !Int

-- | Fields of constant size are read together. If bytes are missing, this finds the
-- field that is cut, given the place in the cell, and how many bytes are left: so errors
-- are those of fields that are read one by one.
cutField :: Context -> Place -> Int -> Cut
cutField context cell left = case context of
  Inside names _ _ -> cutIn names cell
  InsideRun names _ -> cutIn names (wholeRun names)
  _ -> NoPart
  where
    cutIn names place = case pathIn names place left 0 of
      Spot start width _
        | width > 0 && start <= left -> Cut start width
        | otherwise -> NoPart

-- | How many elements the innermost container has announced.
announcedElements :: Context -> Maybe Int
announcedElements context = case context of
  Inside (OfElements _ n _) _ _ -> Just n
  InsideRun (OfElements _ n _) _ -> Just n
  Top -> Nothing
  Labelled _ outer -> announcedElements outer
  Expecting _ _ outer -> announcedElements outer
  Inside _ _ outer -> announcedElements outer
  InsideRun _ outer -> announcedElements outer
  CountedFrom _ outer -> announcedElements outer
  Announced _ outer -> announcedElements outer

-- | The labels around a failure, the innermost first, given the place in the cell, how
-- far behind the cursor the failure is, and how many bytes it is about. (If these are more
-- than a part has, it is about more than this part.)
labelsAt :: Context -> Place -> Int -> Int -> [String]
labelsAt context cell ahead size = map labelText (foldr labelled [] (shortened (stepsOf context cell ahead size)))
  where
    labelText l = case l of
      Given name -> name
      Path _ path -> case path "" of
        '.' : name -> name
        name -> name

-- A label that was given, or a part of a path.
data Step = Name String | Along [Piece]

-- The steps to a place, the innermost first.
stepsOf :: Context -> Place -> Int -> Int -> [Step]
stepsOf context place target size = case context of
  Top -> []
  Labelled name rest -> Name name : stepsOf rest place target size
  Expecting _ _ rest -> stepsOf rest place target size
  CountedFrom _ rest -> stepsOf rest place target size
  Announced _ rest -> stepsOf rest place target size
  Inside names outer rest -> along names place (stepsOf rest outer 0 0)
  InsideRun names rest -> along names (wholeRun names) (stepsOf rest place 0 0)
  where
    along names at rest = case pathIn names at target size of
      Spot _ _ [] -> rest
      Spot _ _ path -> Along path : rest

-- A path may be as long as the input: only its ends are shown.
shortened :: [Step] -> [Step]
shortened steps
  | null (drop most [() | Along _ <- steps]) = steps
  | otherwise = inner ++ Along [Dot ".."] : [s | s@(Name _) <- middle] ++ outer
  where
    most = 32
    (inner, others) = splitAt 24 steps
    (middle, outer) = splitAt (length others - 8) others

-- A label in the making: one that was given, or a path, and whether it begins with a
-- type.
data Label = Given String | Path Bool ShowS

-- Put a step before the labels around it. A path within a path continues it, but
-- where that would lose the type.
labelled :: Step -> [Label] -> [Label]
labelled s labels = case s of
  Name name -> Given name : labels
  Along path -> case (path, labels) of
    (Type _ : inner, Path True outer : rest) -> Path True (outer . render inner) : rest
    (Type _ : _, _) -> Path True (render path) : labels
    (_, Path typed outer : rest) -> Path typed (outer . render path) : rest
    _ -> Path False (render path) : labels
  where
    render pieces rest = foldr piece rest pieces
    piece p = case p of
      Type name -> showString (typeName name)
      Dot name -> showChar '.' . showString name
      Index i -> showChar '[' . shows i . showChar ']'

-- The types of tuples have other names from GHC 9.6 on.
typeName :: String -> String
typeName name = case splitAt 5 name of
  ("Tuple", n@(_ : _)) | all isDigit n -> "(" ++ replicate (read n - 1) ',' ++ ")"
  _ -> name

-- One piece of a path.
data Piece = Type String | Dot String | Index Int

-- Where a part begins, behind those that are read together with it; its size, or 0 if that
-- is not known; and the path to it.
data Spot = Spot Int Int [Piece]

behindPath :: [Piece] -> Spot -> Spot
behindPath pieces (Spot start width path) = Spot start width (pieces ++ path)

-- What is at a place, and in a run, at this byte of it, in a part that has so many bytes
-- from there on.
pathIn :: Names -> Place -> Int -> Int -> Spot
pathIn names place target size = case names of
  Nameless -> unknown
  OfType name -> behindPath [Type name] unknown
  OfConstructor name constructor fields parts ->
    behindPath (Type name : [Dot constructor | not (null constructor)]) $
      among (zip (if null fields then unnamed parts else map (\f -> [Dot f]) (words fields)) parts)
  OfFields name fields -> behindPath [Type name | not (null name)] $ among [([Dot field], part) | (field, part) <- fields]
  OfElements first _ part -> case (placed, part) of
    (Nothing, _) -> unknown
    (Just (i, True), ConstantPart width inner)
      | width > 0 ->
        let (n, within) = target `quotRem` width
         in behindPath [Index (first + i + n)] (inConstant inner width (n * width) within size)
    (Just (i, _), _) -> behindPath [Index (first + i)] unknown
  where
    unknown = Spot 0 0 []
    among fields = case placed of
      Nothing -> unknown
      Just (i, False) -> behindPath (concatMap fst (take 1 (behind (i + 1)))) unknown
      Just (i, True) -> inFields (behind i) 0 target size
      where
        behind n = drop (length fields - n) fields
    placed
      | place < 2 = Nothing
      | otherwise = Just (place `quot` 2 - 1, odd place)
    unnamed parts = case parts of
      [_] -> [[]]
      _ -> [[Dot (show i)] | i <- [1 .. length parts]]

-- What is at this byte of a run of fields, the first of which begins there.
inFields :: [([Piece], Part)] -> Int -> Int -> Int -> Spot
inFields fields start target size = case fields of
  (pieces, ConstantPart width inner) : more
    | target >= width -> inFields more (start + width) (target - width) size
    | size <= width - target -> behindPath pieces (inConstant inner width start target size)
  _ -> Spot 0 0 []

-- The run of all fields, or elements.
wholeRun :: Names -> Place
wholeRun names = case names of
  OfConstructor _ _ _ parts -> inRun (length parts)
  OfFields _ fields -> inRun (length fields)
  OfElements {} -> inRun 0
  _ -> somewhere

-- What is at this byte of a value that has so many, and begins there.
inConstant :: Names -> Int -> Int -> Int -> Int -> Spot
inConstant names width start target size = case pathIn names (wholeRun names) target size of
  Spot inner innerWidth path
    | innerWidth > 0 -> Spot (start + inner) innerWidth (withoutType path)
    | otherwise -> Spot start width []
  where
    withoutType path = case path of
      Type _ : more -> more
      _ -> path
