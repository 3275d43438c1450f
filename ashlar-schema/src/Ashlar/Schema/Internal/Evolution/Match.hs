{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Match
-- Description : From two schemas to a program
module Ashlar.Schema.Internal.Evolution.Match
  ( Unknown (..),
    program,
  )
where

import Ashlar.Schema.Internal.Check (shortened)
import Ashlar.Schema.Internal.Costs (Cost (..), costOf, costs, tagSize)
import Ashlar.Schema.Internal.Describe (Description (..), Edit (..))
import Ashlar.Schema.Internal.Evolution.Dropping
import Ashlar.Schema.Internal.Evolution.Fields
import Ashlar.Schema.Internal.Evolution.Inline
import Ashlar.Schema.Internal.Evolution.Leaves
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Packing
import Ashlar.Schema.Internal.Evolution.Planning
import Ashlar.Schema.Internal.Evolution.Said
import Ashlar.Schema.Internal.Evolution.Whole
import Ashlar.Schema.Internal.Fingerprint
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Text (definitionNames, describeShape)
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap (recursiveNewtypes)
import Control.Applicative ((<|>))
import Data.Bifunctor (first)
import qualified Data.ByteString as B
import Data.Either (lefts, rights)
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Map.Strict as M
import Data.Maybe (fromMaybe, isNothing, listToMaybe)
import qualified Data.Set as S
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | The program that turns values of the old schema into values of the new one.
program :: Unknown -> Schema -> Description -> Either Mismatch Program
program unknown old new =
  either (Left . fst) (Right . fst) $
    programWith Anywhere Nothing mostWork peeledOnes unknown old new
  where
    peeledOnes = peelings (schemaDefinitions old)

-- 'program', with how much work is left, also if it fails. The old definitions without newtypes are
-- an argument, so that they are computed once, however many conversions there are.
programWith ::
  Mode ->
  -- The path to the values, if they are parts of others.
  Maybe Path ->
  Int ->
  V.Vector (Maybe Shape) ->
  Unknown ->
  Schema ->
  Description ->
  Either (Mismatch, Int) (Program, Int)
programWith mode0 within left oldPeeled unknown old (Description new edits) = do
  (main, w) <- run (shapes mode0 free start (schemaRoot old) (schemaRoot new)) work
  w' <- procedures w
  Right (inlined (Program main (workDone w')), workLeft w')
  where
    work = startWork left
    run (Plan f) = f
    start = fromMaybe [Segment (fromMaybe "value" rootName)] within
    rootName = nameOf root <|> (packedIn root >>= nameOf)
    root = peeled newPeeled (schemaRoot new)
    packedIn shape = case shape of
      Just (Packed inner) -> Just (peeled newPeeled inner)
      _ -> Nothing
    nameOf shape = case shape of
      Just (Reference j) -> Just (definitionName (newDefinitions V.! j))
      _ -> Nothing
    oldDefinitions = schemaDefinitions old
    newDefinitions = schemaDefinitions new
    newPeeled = peelings newDefinitions
    recursive = recursiveNewtypes (schemaDefinitions new)
    oldCosts = costs old
    oldNames = definitionNames old
    newNames = definitionNames new
    oldText = describeShape oldNames
    newText = describeShape newNames

    procedures :: Work -> Either (Mismatch, Int) Work
    procedures w = case workQueue w of
      [] -> Right w
      (number, key, path) : rest -> do
        (ops, w') <-
          first (first (unreadAt path (workUnread w))) $
            run (procedure path key) w {workQueue = rest}
        procedures w' {workDone = IM.insert number ops (workDone w')}

    procedure :: Path -> Key -> Plan [Op]
    procedure path key = case key of
      Dropping i -> do
        spendWork path (sizeOf (oldDefinitions V.! i))
        dropDefinition path (oldDefinitions V.! i)
      DroppingPacked x -> do
        spendWork path packedWork
        mapM_ (bad path) (undescribedIn old x)
        pure [Through False 1 (leavingOut old x)]
      Wrapped mode wrapping x j -> spendWork path 1 >> unfolded mode wrapping path x (Reference j)
      Pair mode i j -> do
        let d = oldDefinitions V.! i
            e = newDefinitions V.! j
        spendWork path (sizeOf d + sizeOf e)
        definitions mode path d e (edits V.! j)

    sizeOf :: Definition -> Int
    sizeOf d = sum [1 + length (constructorFields c) | c <- definitionConstructors d]

    -- Each packed value has decoders and a plan of its own, and what is known of all definitions is
    -- found out again for these. (A microsecond for each, some eight times that of a comparison.)
    packedWork = 1 + 8 * (sum (V.map sizeOf oldDefinitions) + sum (V.map sizeOf newDefinitions))

    segment :: Text -> Path -> Path
    segment t path = Segment t : path

    cannot :: Path -> Shape -> Shape -> Plan a
    cannot path x y = bad path (CannotBecome (oldText x) (newText y))

    -- The steps for a value of the one shape to become one of the other.
    shapes :: Mode -> Wrapping -> Path -> Shape -> Shape -> Plan [Op]
    shapes mode wrapping path x0 y0 = case unpackedPart y0 of
      Reference j | IS.member j recursive -> call path (Wrapped mode wrapping x0 j)
      y -> unfolded mode wrapping path x0 y

    unfolded :: Mode -> Wrapping -> Path -> Shape -> Shape -> Plan [Op]
    unfolded mode wrapping path0 x0 y0 = case (peeled oldPeeled x0, peeled newPeeled y0) of
      (Just x, Just y) -> case (mode, newtypeConversions y0) of
        (Anywhere, Just found) -> convertible path found x0 y (bare mode wrapping path x y)
        _ -> bare mode wrapping path x y
      (Nothing, y) -> pure (noValues (isNothing y))
      _ -> bad path HasNoValues
      where
        -- A newtype outside of all fields may convert its own field.
        path = case y0 of
          Reference j
            | Definition t Newtype _ [Constructor _ _ [Field name _]] <- newDefinitions V.! j,
              mode == Anywhere,
              null [() | Place {} <- path0],
              isEditable (edits V.! j) ->
              Place "" t name : path0
          _ -> path0

    bare :: Mode -> Wrapping -> Path -> Shape -> Shape -> Plan [Op]
    bare mode (Wrapping inMaybe inList) path x y = case (x, y) of
      (Irregular name, _) -> bad path (IsIrregular name)
      (_, Irregular name) -> bad path (IsIrregular name)
      (Packed a, Packed b) -> do
        p <- between mode path (plainOld, plainOldPeeled) (plainShape a) plainNew (plainShape b)
        if isIdentity p && (allPacked || sameFormat a b)
          then pure $ case unreadable p of
            Just m -> [Unreadable (Mismatch (pathText path) (mismatchWhat m) Nothing)]
            Nothing -> [Through True 1 (copying old a)]
          else do
            plain <- changing p
            pure [After (Program [Before (expanding old a) plain] IM.empty) (packing new b)]
      (Packed a, _) -> do
        p <- between mode path (plainOld, plainOldPeeled) (plainShape a) real y >>= changing
        pure [Before (expanding old a) p]
      (_, Packed b) -> do
        p <- between mode path (old, oldPeeled) x plainNew (plainShape b) >>= changing
        pure [After p (packing new b)]
      (Reference i, Reference j) -> call path (Pair mode i j)
      (Leaf a, Leaf b)
        | a == b -> pure (leafOps True a)
        | Just ops <- wholeOps x y -> pure ops
        | Just ops <- bytesOps (mode == Anywhere) a b -> pure ops
        | mode == Anywhere, Just ops <- textOps a b -> pure ops
        | otherwise -> cannot path x y
      (Between {}, _) | Just ops <- wholeOps x y -> pure ops
      (_, Between {}) | Just ops <- wholeOps x y -> pure ops
      (Ratio a, Ratio b) | Just ops <- wholeOps a b -> pure (ops ++ ops)
      (Constant a, Constant b) | a == b -> pure [Copy (B.length a)]
      (Opaque n v size, Opaque n' v' size')
        | (n, v, size) == (n', v', size') ->
          let unknownExtent = Mismatch (pathText path) (NotDescribed n) Nothing
           in pure (maybe [Unreadable unknownExtent] copied size)
      (Optional a, Optional b) -> do
        ops <- reportedHere (shapes mode (Wrapping False True) path a b)
        pure
          [ Switch
              "Maybe"
              1
              True
              [Accepted [Put (tagBytes 1 0)], Accepted (Put (tagBytes 1 1) : ops)]
          ]
      (Tuple as, Tuple bs)
        | length as == length bs ->
          concat
            <$> sequence
              [ shapes mode free (segment (T.pack ('.' : show i)) path) a b
                | (i, a, b) <- zip3 [1 :: Int ..] as bs
              ]
      (List m a, List n b) -> each m n 0 a b
      (NonEmpty m a, NonEmpty n b) -> each m n 0 a b
      (NonEmpty m a, List n b) -> each m n 1 a b
      (Set m a, Set n b) -> do
        ops <- shapes InKey free (segment "[]" path) a b
        pure [Each m (Just n) 0 ops]
      (Map m k a, Map n l b) -> do
        keys <- shapes InKey free (segment "{key}" path) k l
        ops <- shapes mode free (segment "{}" path) a b
        pure [Each m (Just n) 0 (keys ++ ops)]
      (Array i a, Array j b) -> do
        bounds <- shapes InKey free (segment "[index]" path) i j
        ops <- shapes mode free (segment "[]" path) a b
        pure (bounds ++ bounds ++ [Each Length64 (Just Length64) 0 ops])
      (_, Optional b)
        | mode == Anywhere,
          inMaybe ->
          (Put (tagBytes 1 1) :) <$> reportedHere (shapes mode (Wrapping False True) path x b)
      (Leaf a, List n b)
        | mode == Anywhere,
          Just (Leaf l) <- peeled newPeeled b,
          Just ops <- lettersOps a n l ->
          pure ops
      (Set m a, List n b) | mode == Anywhere -> each m n 0 a b
      (Map m k a, List n b)
        | mode == Anywhere,
          Just (Tuple [_, _]) <- peeled newPeeled b ->
          each m n 0 (Tuple [k, a]) b
      (Optional a, List n b)
        | mode == Anywhere,
          inList,
          Just z <- peeled newPeeled b,
          -- (Otherwise the elements may be what there is now.)
          not (isOptional z) -> do
          ops <- wrapped a b
          pure
            [ Switch
                "Maybe"
                1
                False
                [Accepted [Put (countBytes n 0)], Accepted (Put (countBytes n 1) : ops)]
            ]
      (_, List n b)
        | mode == Anywhere,
          inList,
          not (isListed x) ->
          (Put (countBytes n 1) :) <$> wrapped x b
      (_, NonEmpty n b)
        | mode == Anywhere,
          inList,
          not (isListed x) ->
          (Put (countBytes n 1) :) <$> wrapped x b
      _ -> cannot path x y
      where
        changing p
          | Just m <- unreadable p = badSaying path (mismatchWhat m) Nothing
          | otherwise = pure p
        reportedHere = insteadOf path (CannotBecome (oldText x) (newText y))
        wrapped a b = reportedHere (shapes mode (Wrapping True False) path a b)
        each m n least a b = do
          ops <- shapes mode (Wrapping True False) (segment "[]" path) a b
          pure [Each m (Just n) least ops]
        isOptional shape = case peeled newPeeled (inAnyFormat shape) of
          Just (Optional _) -> True
          _ -> False
        isListed shape = case shape of
          List _ _ -> True
          NonEmpty _ _ -> True
          Set _ _ -> True
          _ -> False

    -- The conversions of a newtype's field.
    newtypeConversions :: Shape -> Maybe Conversions
    newtypeConversions shape = case shape of
      Reference j
        | d@(Definition _ Newtype _ [c@(Constructor _ _ [Field name _])]) <- newDefinitions V.! j,
          found@(Conversions _ (_ : _)) <- conversionsOf (saidOf d (edits V.! j) c) name ->
          Just found
      _ -> Nothing

    -- A value for which there are conversions. They are not used if its type has not changed.
    convertible ::
      Path -> Conversions -> Shape -> Shape -> Plan [Op] -> Plan [Op]
    convertible path (Conversions name conversions) x y otherwise' = do
      same <- planned (Description new {schemaRoot = y} (V.map (const []) edits))
      case same of
        Right p | isIdentity p -> otherwise'
        _ -> do
          found <- traverse (\(d, g) -> fmap (\p -> (p, g)) <$> planned d) conversions
          let programs = rights found
          case listToMaybe ([f | f@(p, _) <- programs, isIdentity p] ++ programs) of
            Nothing -> unread path name (lefts found) otherwise'
            Just (p, g)
              | isIdentity p -> pure [Through False (costBytes (costOf oldCosts x)) g]
              | Just m <- unreadable p -> badSaying path (mismatchWhat m) Nothing
              | otherwise -> pure [After p g]
      where
        planned d = withHalf Anywhere (Just path) (old, oldPeeled) x d $ \result -> case result of
          Left (Mismatch _ TooLarge _) -> Left (Mismatch (pathText path) TooLarge Nothing)
          _ -> Right result

    -- For what is packed: all in it is plain when a program translates it. So a type that contains
    -- itself by way of a packed one has a program, too.
    plainOld = plainSchema old
    plainOldPeeled = peelings (schemaDefinitions plainOld)
    plainNew = Description (plainSchema new) (plainEdits new edits)
    real = Description new edits
    -- Equal plain bytes are equal packed bytes, unless a part is packed on one side only.
    allPacked = not (hasUnpacked old || hasUnpacked new)
    sameFormat a b =
      sameFingerprint old {schemaRoot = Packed a} new {schemaRoot = Packed b}

    -- A program of its own for values of the one shape to become values of the other.
    between ::
      Mode ->
      Path ->
      (Schema, V.Vector (Maybe Shape)) ->
      Shape ->
      Description ->
      Shape ->
      Plan Program
    between mode path from x to y =
      spendWork path packedWork
        >> withHalf mode (Just path) from x to {descriptionSchema = root'} id
      where
        root' = (descriptionSchema to) {schemaRoot = y}

    -- Make a plan, which may take half of the work that is left, so that some is left for what
    -- follows.
    withHalf ::
      Mode ->
      Maybe Path ->
      (Schema, V.Vector (Maybe Shape)) ->
      Shape ->
      Description ->
      (Either Mismatch Program -> Either Mismatch a) ->
      Plan a
    withHalf mode within' (from, fromPeeled) x d result = Plan $ \w ->
      let half = workLeft w `quot` 2
          spent left' = workLeft w - half + left' - 1
          (found, left'') =
            case programWith mode within' half fromPeeled unknown from {schemaRoot = x} d of
              Left (m, left') -> (Left m, spent left')
              Right (p, left') -> (Right p, spent left')
       in case result found of
            Left m@(Mismatch _ TooLarge _) -> Left (m, 0)
            Left m -> Left (m, left'')
            Right a -> Right (a, w {workLeft = left''})

    field :: Mode -> Path -> Conversions -> Shape -> Shape -> Plan [Op]
    field mode path conversions x y
      | mode == Anywhere,
        Conversions _ (_ : _) <- conversions =
        convertible path conversions x y ops
      | otherwise = ops
      where
        ops = shapes mode free path x y

    definitions :: Mode -> Path -> Definition -> Definition -> [Edit] -> Plan [Op]
    definitions mode path d e said = case (definitionForm d, definitionForm e) of
      (Sum, _) -> do
        alternatives <- traverse alternative (zip [0 ..] olds)
        pure [Switch (shortened (definitionName e)) width exact alternatives]
      (_, Sum)
        | [c] <- olds,
          mode == Anywhere -> do
          found <- target c
          case found of
            Right found' -> inside c found'
            Left _ -> unknownConstructor c
      -- (The tag of a sum would have to be written.)
      _ -> case (olds, news) of
        ([c], [x])
          | definitionForm e /= Sum ->
            fieldOps
              (field mode)
              mode
              path
              unknown
              (saidOf e said x)
              (constructorFields c)
              (constructorFields x)
        _ -> bad path (CannotBecome (definitionName d) (definitionName e))
      where
        olds = definitionConstructors d
        news = definitionConstructors e
        width = tagSize (length olds)
        newWidth = case definitionForm e of
          Sum -> tagSize (length news)
          _ -> 0
        newNumbers = M.fromList [(constructorName x, (k, x)) | (k, x) <- zip [0 :: Int ..] news]
        oldNames' = S.fromList (map constructorName olds)
        renames =
          M.fromList
            [ (a, b)
              | RenamedConstructor a b <- said,
                S.notMember b oldNames',
                M.member b newNumbers
            ]
        gone = S.fromList [name | DroppedConstructor name <- said]
        others =
          listToMaybe
            [ found
              | mode == Anywhere,
                UnknownConstructors name <- said,
                Just found <- [M.lookup name newNumbers]
            ]
        -- 'Right': what becomes of fields that today's constructor does not have, the number of
        -- that constructor, and the constructor. 'Left': the alternative that refuses the value.
        target c
          | Just found <- M.lookup name newNumbers = inUse unknown found
          | Just found <- M.lookup name renames >>= (`M.lookup` newNumbers) = inUse unknown found
          | S.member name gone = pure (Left (retired c))
          | Just found <- others = inUse SkipFields found
          | unknown == SkipUnknown = pure (Left (refused c "which the type does not have"))
          | otherwise = unknownConstructor c
          where
            name = constructorName c
            inUse skip (k, x)
              | constructorRetired x = pure (Left (retired c))
              | otherwise = pure (Right (skip, k, x))
        unknownConstructor c =
          badSaying path (ConstructorIsUnknown name) . Just $
            -- (A constructor that is retired is one that the type has.)
            if isEditable said && M.notMember name newNumbers
              then
                InEvolutionOf (definitionName e) $
                  SayDroppedConstructor name :
                    [ SayRenamedConstructor name
                      | mode == Anywhere,
                        not (all ((`S.member` oldNames') . constructorName) news)
                    ]
              else converting path
          where
            name = constructorName c
        inside c (skip, k, x) =
          (Put (tagBytes newWidth k) :)
            <$> fieldOps
              (field mode)
              mode
              (segment (constructorName x) (segment "." path))
              skip
              (saidOf e said x)
              (constructorFields c)
              (constructorFields x)
        alternative (i, c)
          | constructorRetired c = pure (retired c)
          | otherwise = do
            found <- target c
            case found of
              Left r -> pure r
              Right found'@(_, k, _)
                | mode == InKey && k /= i -> bad path KeyChanges
                | otherwise -> Accepted <$> inside c found'
        exact =
          definitionForm e == Sum
            && length olds == length news
            && and [isSame c x | (c, x) <- zip olds news]
        -- Does today's decoder refuse this tag if the program does?
        isSame c x =
          constructorRetired x
            || not (constructorRetired c)
            && (constructorName c == constructorName x || M.member (constructorName c) renames)
