-- |
-- Module      : Ashlar.Get.Place
-- Description : Where in a value a decoder is, as its errors say it
--
-- An error in a derived decoder says the path to the field that it happened in:
-- @Order.items[3].price@.
--
-- Note [Places]
-- ~~~~~~~~~~~~~
-- As long as all is well, names cost nothing. A decoder that goes into a value
-- keeps two things: in its environment, which type it is decoding ('Inside'), as a
-- pointer to something that is only evaluated for an error ('Names'); and in a cell,
-- where in the value it is, as a number that it writes before it decodes a part. When
-- a decoder goes into the part in its turn, it puts the number that it finds into
-- its own environment, and when it leaves, back into the cell. So the environments
-- and the cell together are the path, at the price of one write for each part of variable
-- size; and the parts of constant size, which are read together, need none: which
-- of them it was, the offset tells.
--
-- (Also thought of: a label in the environment for each field, which allocates for
-- each; and to decode again with labels after a failure, which is not possible when
-- the input is gone.)
module Ashlar.Get.Place
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
    located,
  )
where

import Ashlar.Get.Error

-- | What is known of a type, for errors.
data Names
  = Nameless
  | -- | Its name.
    OfType String
  | -- | One of its constructors: the name of the type, that of the constructor if
    -- there are several, those of the fields (each ended by a space) if they have
    -- some, and what the fields are.
    OfConstructor String String String [Part]
  | -- | Elements, which are numbered from 0 on, and what each of them is.
    OfElements Part

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
  | -- | Inside a value, and where the decoder around it is.
    Inside Names !Place !Context
  | -- | Inside a value that is read as one run. The cell has the place of the decoder
    -- around it.
    InsideRun Names !Context

-- | The labels around a failure, the innermost first, its offset and its reason, given
-- the place in the cell, how far behind the cursor it is, the offset that it was reported
-- with, and the reason.
--
-- Fields of constant size are read together, and how many are is the optimiser's
-- business. So if bytes are missing, this finds the field that is cut, and says
-- what that one needed.
located :: Context -> Place -> Int -> Int -> Reason -> ([String], Int, Reason)
located context cell ahead offset reason = case context of
  Inside names outer rest -> inside names cell outer rest
  InsideRun names rest -> inside names (wholeRun names) cell rest
  _ -> (map labelText (labelsOf context cell), offset, reason)
  where
    inside names place outer rest =
      let Found start width path = pathIn names place target
          labels = map labelText (joined path (labelsOf rest outer))
       in case reason of
            MissingInput _ left
              | width > 0 && start <= left -> (labels, offset + start, MissingInput width (left - start))
            _ -> (labels, offset, reason)
    -- Which of the bytes read together was wrong, or was the first to be missing.
    target = case reason of
      MissingInput _ left -> ahead + left
      _ -> ahead

-- A label in the making: one that was given, or a path, and whether it begins with a
-- type.
data Label = Given String | Path Bool String

labelText :: Label -> String
labelText l = case l of
  Given name -> name
  Path _ path -> path

-- Labels of a context, the innermost first, given the place that it is in.
labelsOf :: Context -> Place -> [Label]
labelsOf context place = case context of
  Top -> []
  Labelled name rest -> Given name : labelsOf rest place
  Inside names outer rest -> outside names place outer rest
  InsideRun names rest -> outside names (wholeRun names) place rest
  where
    outside names at outer rest = case pathIn names at 0 of
      Found _ _ path -> joined path (labelsOf rest outer)

-- One piece of a path.
data Piece = Type String | Dot String | Index Int

-- Put a path before the labels around it. A path within a path continues it, but
-- where that would lose the type.
joined :: [Piece] -> [Label] -> [Label]
joined path labels = case (path, labels) of
  ([], _) -> labels
  (Type _ : inner, Path True outer : rest) -> Path True (outer ++ concatMap render inner) : rest
  (Type name : inner, _) -> Path True (name ++ concatMap render inner) : labels
  (_, Path typed outer : rest) -> Path typed (outer ++ concatMap render path) : rest
  _ -> Path False (concatMap render path) : labels
  where
    render piece = case piece of
      Type name -> name
      Dot name -> '.' : name
      Index i -> '[' : shows i "]"

-- Where a part begins, behind those that are read together with it; its size, or 0 if that
-- is not known; and the path to it.
data Found = Found Int Int [Piece]

found :: [Piece] -> Found -> Found
found pieces (Found start width path) = Found start width (pieces ++ path)

-- What is at a place, and in a run, at this byte of it.
pathIn :: Names -> Place -> Int -> Found
pathIn names place target = case names of
  Nameless -> unknown
  OfType name -> found [Type name] unknown
  OfConstructor name constructor fields parts ->
    let pieces = zip (if null fields then unnamed parts else map (\f -> [Dot f]) (words fields)) parts
        behind n = drop (length parts - n) pieces
     in found (Type name : [Dot constructor | not (null constructor)]) $ case placed of
          Nothing -> unknown
          Just (i, False) -> found (concatMap fst (take 1 (behind (i + 1)))) unknown
          Just (i, True) -> inFields (behind i) 0 target
  OfElements part -> case (placed, part) of
    (Nothing, _) -> unknown
    (Just (i, True), ConstantPart width inner)
      | width > 0 ->
          let (n, within) = target `quotRem` width
           in found [Index (i + n)] (inConstant inner width (n * width) within)
    (Just (i, _), _) -> found [Index i] unknown
  where
    unknown = Found 0 0 []
    placed
      | place < 2 = Nothing
      | otherwise = Just (place `quot` 2 - 1, odd place)
    unnamed parts = case parts of
      [_] -> [[]]
      _ -> [[Dot (show i)] | i <- [1 .. length parts]]

-- What is at this byte of a run of fields, the first of which begins there.
inFields :: [([Piece], Part)] -> Int -> Int -> Found
inFields fields start target = case fields of
  (pieces, ConstantPart width inner) : more
    | target < width -> found pieces (inConstant inner width start target)
    | otherwise -> inFields more (start + width) (target - width)
  _ -> Found 0 0 []

-- The run of all fields.
wholeRun :: Names -> Place
wholeRun names = case names of
  OfConstructor _ _ _ parts -> inRun (length parts)
  _ -> somewhere

-- What is at this byte of a value that has so many, and begins there.
inConstant :: Names -> Int -> Int -> Int -> Found
inConstant names width start target = case pathIn names (wholeRun names) target of
  Found inner innerWidth path
    | innerWidth > 0 -> Found (start + inner) innerWidth (withoutType path)
    | otherwise -> Found start width []
  where
    withoutType path = case path of
      Type _ : more -> more
      _ -> path
